import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as fs from "node:fs"
import { execFileSync } from "node:child_process"
import * as path from "node:path"
import { environment } from "../../../src/process/Environment.ts"
import { expand } from "../../../src/policy/shell/Expansion.ts"
import { temporaryDirectory } from "../../support/temporaryDirectory.ts"

const most = 256
const bytes = (directory: string, name: ReadonlyArray<number>) =>
  Buffer.concat([Buffer.from(`${directory}/`), Buffer.from(name)])

/** Names of every kind that a pattern treats in its own way. */
const plant = (base: string): void => {
  for (const name of [
    "a/b/c.ts",
    "a/.hidden/x",
    "a/b.ts",
    "ab/b/c.ts",
    "ab/two words.ts",
    "x.ts",
    ".env",
    "a b/-n",
    "[x]/b/y"
  ]) {
    fs.mkdirSync(path.dirname(path.join(base, name)), { recursive: true })
    fs.writeFileSync(path.join(base, name), "")
  }
  fs.mkdirSync(path.join(base, "empty"))
  fs.symlinkSync("a", path.join(base, "al"))
  fs.symlinkSync("nowhere", path.join(base, "adrift"))
  fs.symlinkSync("../x.ts", path.join(base, "a/file"))
}

const names = ["*", "a*", "*b", "*.ts", "a*b", "**", "a", "b", "x.ts", "..", ".", "", "é*", "no*"]
const patterns = names
  .flatMap((one) => [
    one,
    ...names.flatMap((two) => [
      `${one}/${two}`,
      ...["*", "*.ts", "c.ts", ".."].map((three) => `${one}/${two}/${three}`)
    ])
  ])
  .filter((pattern) => pattern.includes("*") && !pattern.startsWith("/"))

/** What bash makes of each pattern, in their order. */
const byBash = (
  cwd: string,
  all: ReadonlyArray<string>,
  ...options: ReadonlyArray<string>
): ReadonlyArray<ReadonlyArray<string>> =>
  execFileSync(
    "bash",
    ["--noprofile", "--norc", ...options, "-c", all.map((each) => `printf '%s\\0' ${each} $'\\1'`).join("\n")],
    {
      cwd,
      env: environment({}),
      encoding: "utf8"
    }
  )
    .split("\u0001\0")
    .slice(0, -1)
    .map((found) => found.split("\0").slice(0, -1))

const reason = (expanded: ReturnType<typeof expand>): string =>
  Either.match(expanded, {
    onLeft: (verdict) => `${verdict.rule}: ${verdict.reason}`,
    onRight: (found) => found.join(" ")
  })

describe("the expansion of a pattern", () => {
  it.scoped("is that of bash but for doubled slashes, wherever the directory stands (S3)", () =>
    Effect.gen(function* () {
      // Deep enough that no pattern leads out of what is planted.
      const base = `${yield* temporaryDirectory}/up/upper/[a]*`
      fs.mkdirSync(base, { recursive: true })
      plant(base)
      for (const [index, found] of byBash(base, patterns).entries()) {
        const pattern = patterns[index]!
        if (pattern.includes("**")) continue
        const itself = found.length === 1 && found[0] === pattern
        const expected = itself ? [] : found.map((each) => each.replaceAll(/\/+/g, "/")).sort()
        assert.deepStrictEqual(expand(pattern, base, most), Either.right(expected), pattern)
      }
    })
  )

  it.scoped("has all that two stars stand for, with globstar and without (S3)", () =>
    Effect.gen(function* () {
      const base = `${yield* temporaryDirectory}/up/upper/[a]*`
      fs.mkdirSync(base, { recursive: true })
      plant(base)
      const doubled = patterns.filter((pattern) => pattern.includes("**"))
      const without = byBash(base, doubled)
      const plainly = (name: string): string => path.normalize(name).replace(/(?<=.)\/$/, "")
      for (const [index, found] of byBash(base, doubled, "-O", "globstar").entries()) {
        const pattern = doubled[index]!
        const expanded = new Set(Either.getOrThrow(expand(pattern, base, most)).map(plainly))
        const missed = [...found, ...without[index]!].filter((name) => name !== pattern && !expanded.has(plainly(name)))
        assert.deepStrictEqual(missed, [], pattern)
      }
      assert.include(Either.getOrThrow(expand("**/c.ts", base, most)), "a/b/c.ts")
    })
  )

  it.scoped("starts at the root where the pattern does (S3)", () =>
    Effect.gen(function* () {
      const base = yield* temporaryDirectory
      plant(base)
      assert.deepStrictEqual(expand(`${base}/*.ts`, "/", most), Either.right([`${base}/x.ts`]))
    })
  )

  it.scoped("is not known for what it does not read or cannot see in full (S3)", () =>
    Effect.gen(function* () {
      const base = yield* temporaryDirectory
      plant(base)
      for (const pattern of ["?.ts", "[ax].ts", "a*/[b]", ".*", "a/.*/x", "@(a)*", "{a,b}*", "a\\*"]) {
        assert.match(reason(expand(pattern, base, most)), /^shell\/glob: .*only `\*` is expanded/, pattern)
      }
      fs.symlinkSync("loop", `${base}/loop`)
      assert.match(reason(expand("loop/*", base, most)), /loop of them/)
      assert.match(reason(expand("lo*/x", base, most)), /loop of them/)
    })
  )

  it.scoped("is not known where a name is no text or cannot be seen, on the way as well (S3)", () =>
    Effect.gen(function* () {
      const base = yield* temporaryDirectory
      fs.mkdirSync(`${base}/in`)
      fs.mkdirSync(bytes(base, [0x6b, 0xff]))
      fs.writeFileSync(bytes(base, [0x6b, 0xff, 0x2f, 0x61]), "")
      fs.writeFileSync(`${base}/in/a\u202eb`, "")
      for (const pattern of ["*", "k*", "*/a", "k*/a", "in/*"]) {
        assert.match(reason(expand(pattern, base, most)), /cannot be shown/, pattern)
      }
      assert.deepStrictEqual(expand("i*", base, most), Either.right(["in"]))
    })
  )

  it.scoped("is not known beyond its bounds (S3)", () =>
    Effect.gen(function* () {
      const base = yield* temporaryDirectory
      for (let index = 0; index < 66; index++) {
        fs.mkdirSync(`${base}/many/${index}`, { recursive: true })
        for (let inner = 0; inner < 62; inner++) fs.writeFileSync(`${base}/many/${index}/${inner}`, "")
      }
      assert.strictEqual(Either.getOrThrow(expand("many/*", base, 66)).length, 66)
      assert.match(reason(expand("many/*", base, 65)), /more than 65 names/)
      assert.match(reason(expand("many/*/1", base, 66)), /^many\/0\/1 /)
      assert.match(reason(expand("many/*/*", base, 1e6)), /more than 4096 names to check/)
      assert.match(reason(expand(`many/*/${"./".repeat(70)}`, base, 1e6)), /more than 4096 names to check/)
      assert.match(reason(expand("many/*/none*", base, 1e6)), /more than 4096 names to check/)
    })
  )
})
