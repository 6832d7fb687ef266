import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { isDeepText, isDeepValue, maxJsonDepth, parseAnswer, parseJson, repeatedName } from "../../src/text/Json.ts"

const nested = (levels: number): string => `${'{"a":['.repeat(levels / 2)}${"]}".repeat(levels / 2)}`

describe("parseJson", () => {
  it("counts what is nested as the value is, brackets in strings aside (R14)", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.json({ maxDepth: 8 }), FastCheck.integer({ min: 0, max: 9 }), (text, max) => {
        const value: unknown = JSON.parse(text)
        assert.strictEqual(isDeepText(`${text}${" ".repeat(max + 1)}`, max), isDeepValue(value, max))
        assert.deepStrictEqual(parseJson(text, 64), Either.right(value))
      }),
      { numRuns: 500 }
    )
    assert.isFalse(isDeepText(JSON.stringify({ a: `\\"${"[".repeat(1000)}` })))
  })

  it("gives no data that is deeper than what reads it can go (R14)", () => {
    assert.isTrue(Either.isRight(parseJson(nested(maxJsonDepth))))
    assert.deepStrictEqual(parseJson(nested(maxJsonDepth + 2)), Either.left("too deep"))
    assert.deepStrictEqual(parseJson("[".repeat(1_000_000)), Either.left("too deep"))
    assert.deepStrictEqual(parseJson("{"), Either.left("malformed"))
    const cycle: Record<string, unknown> = {}
    cycle["self"] = cycle
    assert.isTrue(isDeepValue(cycle))
  })
})

describe("parseAnswer", () => {
  it("gives what a text says once, and nothing where an object says a name twice (R15)", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.json({ maxDepth: 5 }), (text) => {
        assert.deepStrictEqual(parseAnswer(text), Either.right(JSON.parse(text)))
        assert.deepStrictEqual(parseAnswer(`{"a":1,"b":${text} , "a" :2}`), Either.left("ambiguous"))
        assert.deepStrictEqual(parseAnswer(`[{"decision":${text},"decisi\\u006fn":0}]`), Either.left("ambiguous"))
      }),
      { numRuns: 300 }
    )
    assert.isUndefined(repeatedName('{"a":"a","b":{"a":["a","a"]},"c":[{"a":1},{"a":2}]}'))
    assert.deepStrictEqual(parseAnswer("{"), Either.left("malformed"))
  })
})
