// @effect-diagnostics asyncFunction:off - the streams of the protocol are those of the web
import * as fc from "effect/FastCheck"
import { describe, expect, it } from "vitest"
import { over } from "../../src/acp/Wire.ts"

/** Longer than any test may take: whoever waits for an answer that never comes is seen to. */
const forEver = 2 ** 31 - 1

/** The wire over lines that an editor has written, and what it is told. */
const wireOf = (lines: ReadonlyArray<string>) => {
  const input = new ReadableStream<Uint8Array>({
    start: (to) => {
      to.enqueue(new TextEncoder().encode(lines.map((line) => `${line}\n`).join("")))
      to.close()
    }
  })
  return over(new WritableStream<Uint8Array>(), input, forEver)
}

const read = async (from: ReadableStream<unknown>): Promise<number> => {
  let count = 0
  for await (const _ of from) count++
  return count
}

const oddId = fc.oneof(
  fc.boolean(),
  fc.object({ maxDepth: 1 }),
  fc.array(fc.integer(), { maxLength: 2 }),
  fc.constant(Infinity)
)
const odd = fc.oneof(
  fc.record({ jsonrpc: fc.constant("2.0"), id: oddId, method: fc.string() }),
  fc.record({ jsonrpc: fc.constantFrom("1.0", 2, undefined), id: fc.integer(), method: fc.string() }),
  fc.record({ jsonrpc: fc.constant("2.0"), id: fc.integer(), method: fc.constantFrom(1, null, {}) })
)

describe("the wire to an editor", () => {
  it("ends with its input where nothing is left that an answer can name (X3)", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(odd, { maxLength: 5 }), async (messages) => {
        // What has no JSON form, as 1e400, is written as an editor may write it.
        const lines = messages.map((one) => JSON.stringify(one, (_, value) => (value === Infinity ? "1e400" : value)))
        await read(wireOf(lines.map((line) => line.replaceAll('"1e400"', "1e400"))).stream.readable)
      })
    )
  })

  it("waits with its end for the answer to every request (X3)", async () => {
    const ids = ["", "a", 0, 1.5, null]
    const { stream } = wireOf(ids.map((id) => JSON.stringify({ jsonrpc: "2.0", id, method: "session/list" })))
    let isOver = false
    const reading = read(stream.readable).then((count) => {
      isOver = true
      return count
    })
    const writer = stream.writable.getWriter()
    for (const id of ids) {
      await writer.ready
      expect(isOver).toBe(false)
      await writer.write({ jsonrpc: "2.0", id, result: {} })
    }
    expect(await reading).toBe(ids.length)
  })
})
