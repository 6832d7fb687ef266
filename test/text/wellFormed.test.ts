import { assert, describe, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { written } from "../../src/acp/Message.ts"
import { toLine } from "../../src/runtime/Envelope.ts"
import { unicodeJson, wellFormed } from "../../src/text/wellFormed.ts"

/** Texts of any units, halves of pairs and what looks like an escape of one among them. */
const unit = fc.oneof(
  fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
  fc.integer({ min: 0xd7ff, max: 0xe000 }).map((code) => String.fromCharCode(code)),
  fc.constantFrom("\\", "\\ud83d", '"', "u", "\u{1f600}")
)
const text = fc.string({ unit, maxLength: 12 })

describe("a half of a pair", () => {
  it("is written as U+FFFD in JSON, and all else as it is (U12)", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 2 }), text, text, (data, name, said) => {
        const value = { data, [name]: [said] }
        const json = unicodeJson(JSON.stringify(value))
        const read: unknown = JSON.parse(json)
        assert.strictEqual(JSON.stringify(read), json)
        assert.deepStrictEqual(read, JSON.parse(JSON.stringify(wellFormed(value))))
      })
    )
  })

  it("leaves a pair that is written as escapes (U12)", () =>
    assert.strictEqual(
      unicodeJson(String.raw`"\ud83d\ude00 \\ud83d \ude00"`),
      `${String.raw`"\ud83d\ude00 \\ud83d `}\ufffd"`
    ))

  it("goes out neither in the lines of events nor to an editor (U12, X3)", () => {
    const cut = "cut \ud83d"
    const event = { _tag: "Notified", callId: "c", tool: "t", level: "info", message: cut } as never
    const line = toLine({ version: 1, seq: 1, time: 0, session: "s", event } as never)
    const message = written({ jsonrpc: "2.0", method: "session/update", params: { text: cut } })
    for (const one of [line, message]) {
      assert.include(one, "cut \ufffd")
      assert.notMatch(one, /\\ud83d/)
    }
  })
})
