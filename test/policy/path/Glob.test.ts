import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import picomatch from "picomatch"
import { compile } from "../../../src/policy/path/Glob.ts"

const matches = (glob: string, path: string): boolean => Either.getOrThrow(compile(glob))(path)

describe("Glob", () => {
  it("matches whole paths, name by name (A6)", () => {
    for (const [glob, path, expected] of [
      ["src/*.ts", "src/x.ts", true],
      ["src/*.ts", "src/a/x.ts", false],
      ["src/**/*.ts", "src/x.ts", true],
      ["src/**/*.ts", "src/a/b/x.ts", true],
      ["src/**", "src/a/b", true],
      ["src/**", "source/a", false],
      ["**", ".env", true],
      ["*", ".env", true],
      ["**/.git/**", "a/.git/config", true],
      ["{src,test}/**/*.{ts,tsx}", "test/a/x.tsx", true],
      ["{a,b{c,d}}", "bd", true],
      ["[a-c]x[!0-9]", "bxy", true],
      ["[a-c]x[!0-9]", "bx1", false],
      ["[]-]", "-", true],
      ["a\\*b", "a*b", true],
      ["a\\*b", "axb", false],
      ["?", "é", true],
      ["?", "👍", true],
      ["a/**/b/**/c", "a/b/b/x/c", true],
      ["SRC/*", "src/x", false]
    ] as const) {
      assert.strictEqual(matches(glob, path), expected, `${glob} ${path}`)
    }
  })

  it("says what is wrong with a pattern (A6)", () => {
    for (const glob of [
      "",
      "a".repeat(1025),
      "{a",
      "[a",
      "[z-a]",
      "a\\",
      "a\nb",
      "{a,b}".repeat(7),
      `{${"a,".repeat(100)}}`
    ]) {
      const compiled = compile(glob)
      assert.isTrue(Either.isLeft(compiled), glob)
      if (Either.isLeft(compiled)) assert.include(compiled.left.message, "not a usable path pattern")
    }
    assert.isFalse(matches("**", "a".repeat(4097)))
  })

  it("does a bounded amount of work on patterns made to backtrack (A6)", () => {
    assert.isFalse(matches(`${"*a".repeat(400)}*b`, "a".repeat(4000)))
    assert.isFalse(matches(`${"**/a/".repeat(200)}b`, "a/".repeat(2000)))
    assert.isFalse(matches(`{${Array.from({ length: 40 }, () => "*a*a*a*a*a*a*a*ab").join(",")}}`, "a".repeat(4000)))
  })

  const name = fc
    .stringOf(fc.constantFrom("a", "b", "."), { minLength: 1, maxLength: 4 })
    .filter((text) => !/^\.+$/.test(text))
  const part = fc.oneof(
    fc.constant("**"),
    fc
      .stringOf(fc.constantFrom("a", "b", "*", "?"), { minLength: 1, maxLength: 4 })
      .filter((text) => !text.includes("**"))
  )
  const glob = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"))
  const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((names) => names.join("/"))

  // `a/**` also matches `a` there, as a search for directories wants it; here it means what is below.
  it.prop(
    "agrees with picomatch where that is safe to run (A6)",
    [glob, path],
    ([pattern, candidate]) => {
      fc.pre(!pattern.endsWith("**"))
      assert.strictEqual(matches(pattern, candidate), picomatch(pattern, { dot: true, noextglob: true })(candidate))
    },
    { fastCheck: { numRuns: 2000 } }
  )
})
