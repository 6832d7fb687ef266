import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { onDisk } from "../../../src/policy/shell/OnDisk.ts"
import { classify } from "../../../src/policy/shell/ShellPolicy.ts"
import { temporaryDirectory } from "../../support/temporaryDirectory.ts"

/** A workspace beside a file that is not in it. */
const workspace = Effect.map(temporaryDirectory, (given) => {
  const base = fs.realpathSync(given)
  const root = path.join(base, "w")
  const write = (name: string | Buffer, text = "x\n") => {
    if (typeof name === "string") fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    const file = typeof name === "string" ? path.join(root, name) : Buffer.concat([Buffer.from(`${root}/`), name])
    fs.writeFileSync(file, text)
  }
  for (const name of ["a.md", "b.md", "src/a.ts", "src/deep/more/b.ts", "conf/.env", "conf/c.ts"]) write(name)
  fs.writeFileSync(path.join(base, "outside.md"), "x\n")
  const context = { cwd: root, roots: [root], home: path.join(base, "home"), trusted: true, stateDirs: [] }
  const seen = { ...onDisk(context), limited: true, trusted: true, hardenedGit: true }
  const ruleOf = (text: string) => classify(text, seen).rule
  const holds = (decisions: ReadonlyArray<readonly [string, string]>) => {
    for (const [text, rule] of decisions) assert.strictEqual(ruleOf(text), rule, text)
  }
  return { base, root, write, holds }
})

const reads = "shell/read-only"

describe("a pattern that begins with a star", () => {
  it.scoped("is read where no file is called like an option, by programs that have none that writes (S3)", () =>
    Effect.gen(function* () {
      const { holds, write } = yield* workspace
      const both = ["ls *", "cat *.md", "wc -l *.md", "grep -n x *.md", 'for f in *; do head -1 "$f"; done'] as const
      holds(both.map((text) => [text, reads] as const))
      holds([
        ["sort *.md", "shell/glob"],
        ["file *.md", "shell/glob"]
      ])
      write("--files0-from=a.md")
      holds(both.map((text) => [text, "shell/glob"] as const))
      holds([
        ["cat ./*.md", reads],
        ["cat -- *.md", reads],
        ["cat b*.md", reads]
      ])
    })
  )

  it.scoped("is judged by each file that it stands for, and by the links among them (S3)", () =>
    Effect.gen(function* () {
      const { holds, root } = yield* workspace
      fs.symlinkSync("../outside.md", path.join(root, "link.md"))
      holds([
        ["cat *.md", "path/outside"],
        ['for f in *.md; do cat "$f"; done', "path/outside"],
        ["cat b*.md", reads],
        ["ls .*", "shell/glob"]
      ])
    })
  )

  it.scoped("is judged at every depth that another shell goes to for two stars (S3)", () =>
    Effect.gen(function* () {
      const { holds, root } = yield* workspace
      holds([["cat ./**/*.ts", reads]])
      fs.symlinkSync("../../../../outside.md", path.join(root, "src/deep/more/link.ts"))
      holds([
        ["cat ./**/*.ts", "path/outside"],
        ["cat src/**", "path/outside"],
        ["cat src/**/more/*.ts", "path/outside"],
        ["cat conf/**/*.ts", reads]
      ])
    })
  )
})

describe("files whose names another command prints", () => {
  it.scoped("are read where each may be, by programs that only show them (S3)", () =>
    Effect.gen(function* () {
      const { holds, root } = yield* workspace
      holds([
        ["find src -name '*.ts' | xargs wc -l", reads],
        ["find . -type f -name '*.ts' -print0 | xargs -0 grep -n x", reads],
        ["find src | sort | head -3 | xargs -I{} cat {}", reads],
        ["grep -rl x src | xargs cat", reads],
        ["find src -type f -exec head -1 {} \\;", reads],
        ["find conf | xargs cat", "path/secret-file"],
        ["find conf -type f -exec cat {} +", "path/secret-file"],
        ["cd conf && find . | xargs cat", "path/secret-file"],
        ["find .. | xargs cat", "path/outside"],
        ["find src -newer ../outside.md -exec cat {} +", "path/outside"],
        ["find src | xargs cat ../outside.md", "path/outside"],
        ["find src | xargs cat | xargs cat", "shell/command-not-listed"],
        ["find src 2>&1 | xargs cat", "shell/command-not-listed"],
        ["find src | xargs cat < a.md", "shell/command-not-listed"],
        ["(find src) | xargs cat", "shell/command-not-listed"],
        ["find src; xargs cat", "shell/command-not-listed"],
        ["find src | cat | xargs cat", "shell/command-not-listed"],
        ["find src | grep -o x | xargs cat", "shell/command-not-listed"],
        ["grep -rl --label=conf/.env x src - | xargs cat", "shell/command-not-listed"],
        ["find src | xargs grep -r x", "shell/command-not-listed"],
        ["find src | xargs sort", "shell/command-not-listed"],
        ["find src | xargs -a b.md cat", "shell/command-not-listed"],
        ["find src -exec awk 1 {} +", "shell/command-not-listed"],
        ["find src -execdir cat {} +", "shell/flag-not-listed"],
        ["find src -delete -exec cat {} +", "shell/flag-not-listed"]
      ])
      fs.symlinkSync("../../outside.md", path.join(root, "src/link.ts"))
      holds([
        ["find src -name '*.ts' | xargs wc -l", "path/outside"],
        ["find src -type f | xargs wc -l", reads],
        ["find src -exec cat {} +", "path/outside"]
      ])
    })
  )

  it.scoped("are those that are printed, whatever the values of a test are called (S3)", () =>
    Effect.gen(function* () {
      const { holds, root, write } = yield* workspace
      holds([
        ["find conf ! -name -print | xargs cat", "path/secret-file"],
        ["find conf -name -print -o -name '.e*' | xargs cat", "path/secret-file"],
        ["find src ! -name -print -type f | xargs cat", reads],
        ["find src -name -print0 | xargs -0 cat", "shell/command-not-listed"],
        ["find src -name -print0 -o -print0 | xargs -0 cat", reads],
        ["find src -print0 -o -print | xargs -0 cat", "shell/command-not-listed"],
        ["find src | xargs -I cat cat cat", "shell/command-not-listed"],
        ["find src | xargs -I % cat %", reads],
        ["find src | xargs -I % -n 2 cat %", "shell/command-not-listed"],
        ["find src | xargs -I % -L 1 cat %", "shell/command-not-listed"],
        ["rg -l -p x src | xargs cat", "shell/command-not-listed"],
        ["find . -name conf -prune -o -name '*' -print | xargs cat", reads],
        // What is not so deep is not pruned either.
        ["find . -name conf -prune -o -mindepth 2 -print | xargs cat", "path/secret-file"],
        ["find . -mindepth 2 -name conf -prune -o -type f -exec cat {} +", "path/secret-file"],
        // GNU takes a first comma for a file, and prints what the left side of another one finds.
        ["find src , -print | xargs cat", "shell/command-not-listed"],
        ["find . -not -readable -o -name .env , -name c.ts | xargs cat", "shell/command-not-listed"],
        ["find src ')' -print -exec cat {} +", "shell/command-not-listed"]
      ])
      fs.rmSync(path.join(root, "conf"), { recursive: true })
      write("two.md")
      holds([
        ["git ls-files -z | xargs -0 cat", reads],
        ["git diff --name-only -z HEAD~1 | xargs -0 wc -l", reads],
        // Of a file that is not there any more the name is not seen, and it can be two words.
        ["git ls-files | xargs cat", "shell/command-not-listed"],
        ["git diff --name-only HEAD~1 | xargs cat", "shell/command-not-listed"]
      ])
    })
  )

  it.scoped("are not read where a name is more than one word, or cannot be shown (S3)", () =>
    Effect.gen(function* () {
      const { holds, root, write } = yield* workspace
      write("two/x ../outside.md")
      holds([
        ["find two | xargs cat", "shell/not-known"],
        ["find two -print0 | xargs -0 cat", reads],
        ["find two -exec cat {} +", reads],
        ["find 'two/x ../outside.md' | xargs cat", "shell/not-known"],
        ["grep -l x 'two/x ../outside.md' | xargs cat", "shell/command-not-listed"],
        ["grep -rl x 'two/x ../outside.md' | xargs cat", "shell/not-known"],
        ["find two -print0 | xargs -P -0 cat", "shell/command-not-listed"],
        ["find 'two/x ../outside.md' -print0 | xargs -r0 cat", reads]
      ])
      fs.symlinkSync("../../outside.md", Buffer.concat([Buffer.from(`${root}/src/`), Buffer.from([0xff])]))
      holds([
        ["find src -print0 | xargs -0 cat", "shell/not-known"],
        ["find src -exec cat {} +", "shell/not-known"]
      ])
    })
  )
})

describe("groups and conditions", () => {
  it.scoped("are judged by all that may run in them, from wherever that may be (S3)", () =>
    Effect.gen(function* () {
      const { holds } = yield* workspace
      holds([
        ["(cd src && cat ../a.md)", reads],
        ["{ cd src && cat a.ts; }", reads],
        ["if [ -f a.md ]; then cat a.md; elif [[ -d src ]]; then ls src; else pwd; fi", reads],
        ["{ ls; pwd; } 2>/dev/null | head", reads],
        ["! grep -q x a.md && ls; echo $?", reads],
        ["(cd src && ls) && cat ../outside.md", "path/outside"],
        ["(cd src); cat ../outside.md", "path/outside"],
        ["(cd src) && cat ../outside.md", "path/outside"],
        ["{ cd src; } && cat ../outside.md", "path/outside"],
        ["! cd src && cat ../outside.md", "path/outside"],
        ["time cd src && cat ../outside.md", "path/outside"],
        ["if cd src; then cat ../outside.md; fi", "path/outside"],
        ["if ls; then cd src; fi && cat ../outside.md", "path/outside"],
        ["{ cd src; ls; } | cat", "shell/operand"],
        ["[[ -f conf/.env ]]", "path/secret-file"],
        ["if ls; then cat conf/.env; fi", "path/secret-file"],
        ["if ls; then ls; else cat conf/.env; fi", "path/secret-file"],
        ["{ ls; } > out", "shell/redirect"],
        ["((ls))", "shell/control-flow"],
        ["time { ls; }", "shell/control-flow"],
        ["LC_ALL=C sort a.md", reads],
        ["LC_ALL=C", "shell/redirect"],
        ["export LC_ALL=C", "shell/assignment"],
        ["LC_ALL=zh_CN.GBK sort a.md", "shell/assignment"],
        ["TZ=../outside.md date", "shell/assignment"]
      ])
    })
  )

  it.scoped("of a pattern are one in a loop, so that no round of it may end elsewhere than it begins (S3)", () =>
    Effect.gen(function* () {
      const { holds } = yield* workspace
      holds([
        ['for f in *.md; do cat "$f"; done; cd src', reads],
        ['cd src; for f in *.ts; do cat "$f"; done', reads],
        ["for f in a.md b.md; do cat a.md; cd src; done", reads],
        ['for f in *.md; do cat "$f"; cd src; done', "shell/control-flow"],
        ['for f in a.md *.md; do (cd src && wc -l "$f"); done', "shell/control-flow"],
        ['for f in *.md; do if cd src; then cat "$f"; fi; done', "shell/control-flow"]
      ])
    })
  )
})

describe("what other shells read otherwise", () => {
  it.scoped("is asked about: words of zsh, and the program time of dash (S3)", () =>
    Effect.gen(function* () {
      const { holds } = yield* workspace
      holds([
        ["for path in src; do ls; done", "shell/control-flow"],
        ["for cdpath in src; do ls; done", "shell/control-flow"],
        ["for paths in src; do ls; done", reads],
        ["cat =ls", "shell/expansion"],
        ["cat '=ls' a=b; [ a = b ]; echo ====", reads],
        ["cd +0 && cat ../outside.md", "shell/operand"],
        ['for f in src/a.ts; do cat "$f:h/../../outside.md"; done', "shell/expansion"],
        ['for f in ./a; do cat "$f[1]$f[1]/outside.md"; done', "shell/expansion"],
        ['for f in src; do echo "$f: ${f}:h ${f}[1]"; cat "$f"; done', reads],
        ["cat ''~/x", "shell/expansion"],
        ['ls ""~', "shell/expansion"],
        ["cat ''\"\"=ls", "shell/expansion"],
        ["cat ''a=b a''~; [ a'' = b ]", reads],
        ["for f in src; do cat $f\u00e9/etc/hostname; done", "shell/expansion"],
        ['for f in src; do cat "$f\u00e9/etc/hostname"; done', "shell/expansion"],
        ['for f in src; do cat "${f}\u00e9/x" "$f/\u00e9"; done', reads],
        ["time TZ=Europe/Berlin ls", "shell/control-flow"],
        ["time LC_ALL=C sort a.md", "shell/control-flow"],
        ["TZ=Europe/Berlin ls; time ls", reads]
      ])
    })
  )

  it.scoped("is asked about: what sh runs behind `&>`, and where it stays before that (S3)", () =>
    Effect.gen(function* () {
      const { holds } = yield* workspace
      holds([
        ["cat a.md &>/dev/null touch x", "shell/redirect"],
        ["cat a.md &>> /dev/null ./x", "shell/redirect"],
        ["cat &>/dev/null a.md", "shell/redirect"],
        ["&>/dev/null ls", "shell/redirect"],
        ["for f in *.md; do cat &>/dev/null $f; done", "shell/redirect"],
        ["cd src &>/dev/null && cat ../outside.md", "path/outside"],
        ["cd src &>/dev/null && cat ../a.md", "path/outside"],
        ["cd src >/dev/null 2>&1 && cat ../a.md", reads],
        ["if ls a.md &>/dev/null; then cat a.md &>/dev/null 2>&1; fi", reads],
        ["ls &>/dev/null && cat a.md; { ls; } &>/dev/null", reads]
      ])
    })
  )

  it.scoped("is asked about: what zsh computes of an index, or where `printf` counts (S3)", () =>
    Effect.gen(function* () {
      const { holds } = yield* workspace
      holds([
        ['ls; echo "$?[path[\\$(id)]]"', "shell/expansion"],
        ['ls; printf %s "$?[PATH=3]"', "shell/expansion"],
        ["ls; echo $?:h", "shell/expansion"],
        ['ls; echo "$? [1] $?: $?."', reads],
        ["printf %d 'path[$(id)]'", "shell/operand"],
        ["printf %d PATH=3; ls", "shell/operand"],
        ["printf '%s %5.2f\\n' a b", "shell/operand"],
        ["printf '%s %d\\n' a 1 b PATH=3", "shell/operand"],
        ["printf '%%s %d' PATH=3", "shell/operand"],
        ["printf -- %d PATH=3", "shell/operand"],
        ["for f in PATH=3; do printf %d $f; done", "shell/operand"],
        ["printf '%s %d%% %x %5.1f\\n' 'a[1]' 7 0xff 1.5 b 8", reads],
        ["printf '%s\\n' 'path[$(id)]' a; printf '%b%q%c' a b c; printf '%d\\n' $?", reads]
      ])
    })
  )
})
