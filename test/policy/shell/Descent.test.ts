import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { execFileSync, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { descend } from "../../../src/policy/shell/Descent.ts"
import { classify } from "../../../src/policy/shell/ShellPolicy.ts"
import { temporaryDirectory } from "../../support/temporaryDirectory.ts"
import { contextOf } from "./ShellFixture.ts"

const planted = Effect.map(temporaryDirectory, (given) => {
  const base = fs.realpathSync(given)
  const write = (name: string, text = "") => {
    fs.mkdirSync(path.dirname(path.join(base, name)), { recursive: true })
    fs.writeFileSync(path.join(base, name), text)
  }
  const judge = (text: string) => classify(text, { ...contextOf({ cwd: base, roots: [base] }), descend })
  return { base, write, judge }
})

describe("a search below a directory", () => {
  it.scoped("asks where it would open a file that may not be read unasked (S3)", () =>
    Effect.gen(function* () {
      const { judge, write } = yield* planted
      write("src/a.ts")
      write("open/deep/b.ts")
      write("open/deep/.env")
      write("state/.tollgate/x.ts")
      write("keys/server.key")
      const decisions = [
        ["grep -r x src", "shell/read-only"],
        ["grep -r x open", "path/secret"],
        ["grep -rn --exclude=.env x open/deep", "shell/read-only"],
        ["grep -rn --exclude='.en*' x open", "shell/read-only"],
        ["grep -rn --exclude='.e[n]v' x open", "path/secret"],
        ["grep -rn --exclude=.ENV x open", "path/secret"],
        ["grep -rn --exclude-dir=.env x open", "path/secret"],
        ["grep -rn --exclude-dir=deep x open", "shell/read-only"],
        ["grep -rn --exclude=deep x open", "path/secret"],
        ["grep -rn --exclude=.env --include='*' x open", "path/secret"],
        ["grep -rn --include='*' --exclude=.env x open", "shell/glob"],
        ["grep -r --include='*.ts' --exclude='*.log' x open", "shell/read-only"],
        ["grep -r --exclude='*.log' --include='*.ts' x open", "path/secret"],
        ["grep -r --exclude=.env --include='*.ts' x open", "path/secret"],
        ["grep -r --exclude='*.log' --include='*.ts' --exclude=.env x open", "shell/read-only"],
        ["grep -r --exclude='*.log' --include='!.env' x open", "path/secret"],
        ["grep -r --exclude-dir=more --include='*.ts' x open", "shell/read-only"],
        ["rg -u -g '!.env' x open", "shell/read-only"],
        ["rg --hidden -g '!**/.env' x open", "shell/read-only"],
        ["rg --hidden -g '!.env/' x open", "path/secret"],
        ["rg --hidden -g '!.env' -g '*' x open", "shell/glob"],
        ["rg -u x open", "path/secret"],
        ["rg -. x open", "path/secret"],
        ["rg --hidden x src", "shell/read-only"],
        ["rg --hidden x", "path/secret"],
        ["cd open && grep -r x deep", "path/secret"],
        ["grep -r --include='*.ts' x open", "shell/read-only"],
        ["grep -r --include='*.{ts,js}' x open", "shell/read-only"],
        ["grep -r --include='*.?nv' x open", "shell/glob"],
        ["grep -r --include='*.ts' x state", "path/secret"],
        ["grep -r --include='*.ts' x .", "path/secret"],
        ["grep -r x keys", "path/secret"],
        ["grep -rh x src keys", "path/secret"],
        ["grep x keys", "shell/read-only"],
        ["rg x keys", "path/secret"],
        ["rg x", "path/secret"],
        ["rg -f src/a.ts", "path/secret"],
        ["rg -g '*.ts' x", "shell/read-only"],
        ["rg --files", "shell/read-only"],
        ["rg x open src", "shell/read-only"],
        ["rg -t sh x open", "path/secret"],
        ["rg -t ts x open", "shell/read-only"],
        ["rg --type=ts -g '!*.d.ts' x open", "shell/read-only"],
        ["rg -t ts -t sh x open", "path/secret"],
        ["rg -t ts -g '*.js' x open", "path/secret"],
        ["rg -t ts x keys", "shell/read-only"],
        ["rg -t ts x", "shell/read-only"],
        ["grep -r x .", "path/secret"],
        ["cd src && grep -r x .", "shell/read-only"]
      ] as const
      for (const [text, rule] of decisions) assert.strictEqual(judge(text).rule, rule, text)
      assert.match(judge("grep -r x open").reason, /^`grep` would also read `.*open\/deep\/\.env`: secret$/)
    })
  )

  const part = FastCheck.constantFrom("a", ".a", "a.ts", ".env", "b", ".b.ts")
  const pattern = FastCheck.constantFrom(
    "a",
    ".a",
    ".*",
    "*.ts",
    "a*",
    ".env",
    "b",
    "*",
    "./a",
    "[a]",
    "?",
    ".env*",
    "b/"
  )
  it.scoped.prop(
    "leaves out no file that grep opens (S3)",
    {
      files: FastCheck.uniqueArray(FastCheck.array(part, { minLength: 1, maxLength: 3 }), {
        minLength: 1,
        maxLength: 8,
        selector: (names) => names.join("/")
      }),
      excluded: FastCheck.array(
        FastCheck.tuple(FastCheck.constantFrom("--exclude", "--exclude-dir", "--include"), pattern),
        {
          maxLength: 4
        }
      )
    },
    ({ excluded, files }) =>
      Effect.gen(function* () {
        const { base, write } = yield* planted
        for (const names of files) {
          // A name that is a directory already, or below one that is a file, is left.
          try {
            write(`w/${names.join("/")}`, "x\n")
          } catch {
            continue
          }
        }
        const options = excluded.map(([option, value]) => `${option}=${value}`)
        const { stdout } = spawnSync("grep", ["-rl", ...options, "x", `${base}/w`], { encoding: "utf8" })
        const opened = stdout.split("\n").filter((name) => name !== "")
        const seen = new Set<string>()
        const watching: typeof descend = (descent) => {
          const found = descend(descent)
          if (Either.isRight(found)) for (const file of found.right.files) seen.add(file)
          return found
        }
        const quoted = options.map((option) => `'${option}'`).join(" ")
        const context = { ...contextOf({ cwd: base, roots: [base] }), descend: watching }
        const { rule } = classify(`grep -rl ${quoted} x w`, context)
        assert.deepStrictEqual(
          opened.filter((file) => rule !== "shell/glob" && !seen.has(file)),
          []
        )
      }),
    { fastCheck: { numRuns: 75 } }
  )

  it.scoped("follows links where some programs do: grep of busybox and of BSD (S3)", () =>
    Effect.gen(function* () {
      const { base, judge, write } = yield* planted
      write("w/a.ts")
      write("open/.env")
      const leads = (to: string) => {
        fs.rmSync(path.join(base, "w/x.ts"), { force: true })
        fs.symlinkSync(to, path.join(base, "w/x.ts"))
      }
      for (const [to, rule] of [
        ["../open/.env", "path/secret"],
        ["../open", "path/secret"],
        ["/etc/hostname", "path/outside"],
        ["/proc/self/environ", "path/outside"],
        ["a.ts", "shell/read-only"],
        ["../w", "shell/read-only"],
        ["none", "shell/read-only"],
        ["x.ts", "shell/read-only"]
      ] as const) {
        leads(to)
        assert.strictEqual(judge("grep -r x w").rule, rule, to)
        assert.strictEqual(judge("rg x w").rule, "shell/read-only", to)
      }
      leads("../open/.env")
      assert.strictEqual(judge("grep -r --include='*.ts' x w").rule, "path/secret")
      assert.strictEqual(judge("grep -r --include='*.js' x w").rule, "shell/read-only")
      assert.strictEqual(judge("grep -r --exclude=x.ts x w").rule, "shell/read-only")
    })
  )

  it.scoped("counts what an ignore file brings back, above and below too (S3)", () =>
    Effect.gen(function* () {
      const { base, judge, write } = yield* planted
      write("w/a.ts")
      write("w/.env")
      write("w/deep/.tollgate/x.ts")
      assert.strictEqual(judge("rg x w").rule, "shell/read-only")
      for (const [file, line, rule] of [
        [".ignore", "!.env", "path/secret"],
        ["w/.gitignore", "# c\n!.env", "path/secret"],
        ["w/.rgignore", "!*.env", "path/secret"],
        ["w/.ignore", "!.ENV", "path/secret"],
        ["w/.ignore", "!/deep/../.e?v", "path/secret"],
        ["w/.ignore", String.raw`!\.env`, "path/secret"],
        [".git/info/exclude", "!.tollgate/", "path/secret"],
        ["w/deep/.ignore", "!.tollgate", "path/secret"],
        ["w/.ignore", "#".repeat(70_000), "path/secret"],
        ["w/.gitignore", "node_modules\n!.vscode", "shell/read-only"],
        ["w/deep/.ignore", "!*.ts\n.env", "shell/read-only"]
      ] as const) {
        write(file, line)
        assert.strictEqual(judge("rg x w").rule, rule, `${file} with ${line.slice(0, 20)}`)
        fs.rmSync(path.join(base, file))
      }
    })
  )

  it.scoped("leaves out what packages bring, and by the searches that go by git what git ignores (S3)", () =>
    Effect.gen(function* () {
      const { base, judge, write } = yield* planted
      write("w/a.ts")
      write("w/node_modules/b/.env")
      write("w/node_modules/b/server.key")
      assert.strictEqual(judge("grep -r x w").rule, "shell/read-only")
      write("w/out/server.key")
      const isIgnored = (place: string): boolean => place.endsWith("/out")
      const ignoring = (text: string) =>
        classify(text, { ...contextOf({ cwd: base, roots: [base] }), descend, isIgnored }).rule
      assert.strictEqual(judge("grep -r x w/node_modules").rule, "path/secret")
      assert.strictEqual(judge("grep -r x w/node_modules/b").rule, "path/secret")
      assert.strictEqual(judge("rg x").rule, "path/secret")
      for (const text of ["rg x", "rg x .", "cd w && rg x .."])
        assert.strictEqual(ignoring(text), "shell/read-only", text)
      // What lies in a directory that is ignored is found by a search that begins there, or beside it.
      for (const text of ["rg x w", "rg x w/out", "cd w/out && rg x", "grep -r x .", "grep -r x w"])
        assert.strictEqual(ignoring(text), "path/secret", text)
      for (const line of ["!out", "!/o*/"]) {
        write(".ignore", line)
        write("w/.ignore", "")
        assert.strictEqual(ignoring("rg x"), "path/secret", line)
      }
    })
  )

  it.scoped("does not wait for a pipe in place of an ignore file, nor follow links (S3)", () =>
    Effect.gen(function* () {
      const { base, judge, write } = yield* planted
      write("w/a.ts")
      write("out/.env")
      fs.symlinkSync("../out", path.join(base, "w/link"))
      fs.symlinkSync("../out/.env", path.join(base, "w/b.ts"))
      execFileSync("mkfifo", [path.join(base, "w/.ignore")])
      assert.strictEqual(judge("grep -r x w").rule, "path/secret")
      assert.strictEqual(judge("rg x w").rule, "shell/read-only")
      write("w/.env")
      assert.strictEqual(judge("rg x w").rule, "path/secret")
    })
  )

  it.scoped("asks where there is more than is looked through, over all directories together (S3)", () =>
    Effect.gen(function* () {
      const { base, write } = yield* planted
      // Each entry for ten of them.
      const tenfold = ({ most, ...one }: Parameters<typeof descend>[0]) =>
        Either.map(descend({ ...one, most: most / 10 }), ({ files, looks }) => ({ files, looks: looks * 10 }))
      const judge = (text: string) => classify(text, { ...contextOf({ cwd: base, roots: [base] }), descend: tenfold })
      for (let index = 0; index < 1000; index++) write(`a/${index}`)
      for (let index = 0; index < 998; index++) write(`b/${index}`)
      assert.strictEqual(judge("grep -r x a b").rule, "shell/read-only")
      write("b/more")
      assert.strictEqual(judge("grep -r x a b").rule, "shell/too-many-files")
      assert.strictEqual(judge("grep -r x a; rg x b").rule, "shell/too-many-files")
      assert.strictEqual(judge("grep -r x a").rule, "shell/read-only")
      const found = descend({ directory: base, filters: [], hidden: "all", most: 10 })
      assert.isTrue(Either.isLeft(found))
    })
  )
})
