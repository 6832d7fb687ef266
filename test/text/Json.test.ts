import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { isDeepText, isDeepValue, maxJsonDepth, parseJson } from "../../src/text/Json.ts"

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
