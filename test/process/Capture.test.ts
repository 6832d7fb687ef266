import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Capture from "../../src/process/Capture.ts"

const capture = (limit: number, chunks: ReadonlyArray<string>) => {
  const into = Capture.make(limit)
  for (const chunk of chunks) into.append(Capture.piece(chunk))
  return into.result()
}

const text = fc.string({ unit: "grapheme", maxLength: 40 })

describe("Capture", () => {
  it("keeps everything up to its limit (R5)", () => {
    assert.deepStrictEqual(capture(6, ["ab", "cd", "ef"]), {
      head: "abcdef",
      tail: "",
      droppedBytes: 0,
      droppedLines: 0
    })
  })

  it("keeps the beginning and the end and counts what is missing (R5)", () => {
    const captured = capture(4, ["a\nb", "c\nd\n", "yz"])
    assert.deepStrictEqual(captured, { head: "a\n", tail: "yz", droppedBytes: 5, droppedLines: 2 })
    assert.strictEqual(Capture.render(captured), "a\n\n… 5 bytes (2 lines) left out …\nyz")
  })

  it("splits no code point at either cut (R5)", () => {
    assert.deepStrictEqual(capture(4, ["a€€€b"]), { head: "a", tail: "b", droppedBytes: 9, droppedLines: 0 })
    assert.deepStrictEqual(capture(8, ["😀😀😀"]), { head: "😀", tail: "😀", droppedBytes: 4, droppedLines: 0 })
  })

  it.effect.prop(
    "is a beginning, an end and the exact number of bytes between, however the text arrives (R5)",
    [fc.array(text, { maxLength: 20 }), fc.integer({ min: 0, max: 64 })],
    ([chunks, limit]) =>
      Effect.sync(() => {
        const whole = chunks.join("")
        const { head, tail, droppedBytes } = capture(limit, chunks)
        assert.isTrue(whole.startsWith(head) && whole.endsWith(tail))
        assert.isAtMost(Buffer.byteLength(head + tail), limit)
        assert.strictEqual(Buffer.byteLength(head + tail) + droppedBytes, Buffer.byteLength(whole))
        assert.notMatch(head + tail, /\p{Surrogate}/u)
        if (droppedBytes > 0) assert.isAtLeast(Buffer.byteLength(head + tail), limit - 6)
      })
  )
})
