import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as EventDecoder from "../../src/model/EventDecoder.ts"

const cutAt = (bytes: Uint8Array, cuts: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end))
}

const decode = (chunks: ReadonlyArray<Uint8Array>) => {
  const decoder = EventDecoder.make(1000)
  const events = chunks.flatMap((chunk) => decoder.feed([chunk]) ?? [])
  return [...events, ...decoder.end()]
}

const bytes = (text: string) => [new TextEncoder().encode(text)]

describe("EventDecoder", () => {
  it.effect.prop(
    "gives the same events however the network cut their bytes (R7)",
    [
      FastCheck.array(FastCheck.array(FastCheck.string({ unit: "binary" }), { minLength: 1, maxLength: 3 }), {
        maxLength: 5
      }),
      FastCheck.array(FastCheck.nat(), { maxLength: 12 }),
      FastCheck.constantFrom("\n", "\r\n", "\r")
    ],
    ([written, cuts, line]) =>
      Effect.sync(() => {
        const events = written.map((lines) => JSON.stringify(lines, null, 1))
        const text = events
          .map(
            (event) =>
              `: comment${line}event: x${line}${event
                .split("\n")
                .map((part) => `data: ${part}${line}`)
                .join("")}${line}`
          )
          .join("")
        assert.deepStrictEqual(decode(cutAt(new TextEncoder().encode(text), cuts)), events)
      })
  )

  it.effect("gives a last event without its blank line, and none that was cut short (R7)", () =>
    Effect.sync(() => {
      assert.deepStrictEqual(decode(bytes('data: {"a":1}')), ['{"a":1}'])
      assert.deepStrictEqual(decode(bytes("data: [DONE]\n")), ["[DONE]"])
      assert.deepStrictEqual(decode(bytes('data: {"a":')), [])
    })
  )

  it.effect("refuses an event that is larger than its limit (R7)", () =>
    Effect.sync(() => {
      const decoder = EventDecoder.make(1000)
      const line = new TextEncoder().encode("data: " + "x".repeat(400))
      assert.deepStrictEqual(decoder.feed([line]), [])
      assert.isUndefined(decoder.feed([line, line]))
    })
  )
})
