import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck } from "effect"
import { TextDelta } from "../../src/agent/AgentEvent.ts"
import type { RedactorShape } from "../../src/redaction/Redactor.ts"
import { Channel } from "../../src/runtime/Channel.ts"

const plain: RedactorShape = {
  text: (text) => text,
  shown: (text) => ({ text, masked: 0 }),
  shownJson: (value) => ({ value, masked: 0, whole: true }),
  json: (value) => value,
  jsonText: (text) => text,
  deed: (text) => text,
  deedJson: (value) => value,
  jsonSliced: Effect.succeed,
  bytes: (encoded) => encoded,
  jsonStream: () => ({ push: (text) => text, flush: () => "" }),
  stream: () => ({ push: (text) => text, flush: () => "" }),
  transform: (self) => self
}
const delta = (text: string) => new TextDelta({ text, offset: 0 })

describe("Channel", () => {
  it.effect.prop(
    "gives any reader the whole text, however it was cut and whenever it is read (R5)",
    [FastCheck.array(FastCheck.tuple(FastCheck.string({ maxLength: 3000 }), FastCheck.boolean()), { maxLength: 60 })],
    ([pieces]) =>
      Effect.sync(() => {
        const channel = new Channel(delta(""), {}, 0, plain)
        let read = ""
        for (const [text, reads] of pieces) {
          channel.push(delta(text))
          if (!reads) continue
          const event = channel.since(read.length)
          assert.strictEqual(event._tag === "TextDelta" ? event.offset : -1, read.length)
          read += "text" in event ? event.text : ""
        }
        const rest = channel.since(read.length)
        assert.strictEqual(read + ("text" in rest ? rest.text : ""), pieces.map(([text]) => text).join(""))
        const late = channel.since(0)
        assert.strictEqual("text" in late ? late.text : "", pieces.map(([text]) => text).join(""))
      })
  )

  it("keeps a bounded tail, and its offset tells what is missing (R5)", () => {
    const channel = new Channel(delta(""), {}, 0, plain)
    for (let index = 0; index < 10_000; index++) channel.push(delta("0123456789".repeat(10)))
    const late = channel.since(0)
    assert.strictEqual(late._tag, "TextDelta")
    if (late._tag !== "TextDelta") return
    assert.strictEqual(late.offset + late.text.length, 1_000_000)
    assert.isAbove(late.text.length, 200_000)
    assert.isBelow(late.text.length, 600_000)
  })
})
