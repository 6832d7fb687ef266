import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import { bound } from "../../src/mcp/gateway/bound.ts"
import type { CallResult } from "../../src/mcp/ServerResult.ts"
import { SpillFailed } from "../../src/tool/Spill.ts"

const text = fc.string({ unit: fc.constantFrom("a", "é", "😀", "e\u0301", "\n", "[… "), maxLength: 300 })
const result: fc.Arbitrary<CallResult> = fc.record({
  content: fc.array(
    fc.oneof(
      text.map((text) => ({ type: "text" as const, text })),
      fc.constant({ type: "image" as const, data: "AAAA", mimeType: "image/png" })
    ),
    { maxLength: 3 }
  ),
  structuredContent: fc.option(fc.dictionary(fc.string(), text, { maxKeys: 3 }), { nil: undefined })
})

const saidOf = ({ content }: CallResult) => content.flatMap((block) => (block.type === "text" ? [block.text] : []))

describe("a result that is longer than its client takes", () => {
  it.effect.prop(
    "says truly how much is left out and which file has the whole, and is an error where that cannot be had (X2)",
    [result, fc.integer({ min: 10, max: 400 }), fc.boolean()],
    ([given, longest, works]) =>
      Effect.gen(function* () {
        const files: Array<string> = []
        const keep = ({ text }: { readonly text: string }) =>
          works
            ? Effect.sync(() => `/kept/${files.push(text)}`)
            : new SpillFailed({ path: "/kept/1", cause: new Error("full") })
        const got = yield* bound(given, { longest, session: "s1", spill: { keep } })
        const data = given.structuredContent === undefined ? "" : JSON.stringify(given.structuredContent)
        const words = saidOf(given).join("\n")
        const total = Buffer.byteLength(words) + Buffer.byteLength(data)
        if (total <= longest) return assert.strictEqual(got, given)
        const [said = "", ...others] = saidOf(got)
        assert.lengthOf(others, 0)
        assert.strictEqual(got.content.length - 1, given.content.filter(({ type }) => type !== "text").length)
        const [whole = "", dropped, all, why = ""] =
          /\n\[… (\d+) of (\d+) bytes[^;\n]* left out; ([^\n]*) …\]\n(?![^]*\n\[… )/.exec(said) ?? []
        assert.strictEqual(Number(all), total)
        assert.strictEqual(Number(dropped), total - (Buffer.byteLength(said) - Buffer.byteLength(whole)))
        assert.isAbove(Number(dropped), 0)
        if (!works) return assert.isTrue(got.isError === true && why.includes("could not be written"))
        assert.strictEqual(why, "the whole is in /kept/1")
        assert.include(files[0], words)
        assert.include(files[0], data)
        assert.strictEqual(got.isError === true, data !== "")
        assert.isUndefined(got.structuredContent)
      })
  )
})
