// @effect-diagnostics asyncFunction:off - the streams of the protocol are those of the web
import type { AnyMessage } from "@agentclientprotocol/sdk"
import * as fc from "effect/FastCheck"
import { describe, expect, it } from "vitest"
import { longestMessage } from "../../src/acp/Message.ts"
import { over } from "../../src/acp/Wire.ts"

/** Longer than any test may take: whoever waits for an answer that never comes is seen to. */
const forEver = 2 ** 31 - 1

/** The wire over lines that an editor has written. */
const wireOf = (lines: ReadonlyArray<string>, output = new WritableStream<Uint8Array>()) => {
  const input = new ReadableStream<Uint8Array>({
    start: (to) => {
      to.enqueue(new TextEncoder().encode(lines.map((line) => `${line}\n`).join("")))
      to.close()
    }
  })
  return over(output, input, forEver)
}

/** What the agent reads of lines, where each request is answered with its method; and what the editor is told by that. */
const exchanged = async (lines: ReadonlyArray<string>) => {
  const told: Array<string> = []
  const decoder = new TextDecoder()
  const output = new WritableStream<Uint8Array>({ write: (bytes) => void told.push(decoder.decode(bytes)) })
  const { readable, writable } = wireOf(lines, output).stream
  const writer = writable.getWriter()
  const messages: Array<AnyMessage> = []
  for await (const message of readable) {
    messages.push(message)
    if ("method" in message && "id" in message)
      await writer.write({ jsonrpc: "2.0", id: message.id, result: message.method })
  }
  return { messages, told: told.map((line) => line.trimEnd()) }
}

const errorOf = (line = "{}") =>
  (JSON.parse(line) as { readonly error?: { readonly code: number; readonly message: string } }).error

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

  it("answers an integer of any size with its own digits, and lets it be taken back by them (X3)", async () => {
    const ids = ["9007199254740993", "-9223372036854775808", "9223372036854775807", "7", '"9007199254740993"']
    const asking = ids.map((id) => `{"jsonrpc":"2.0","id":${id},"method":"session/list","params":{"n":{"id":5}}}`)
    const taking = `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId": ${ids[0]}}}`
    const { messages, told } = await exchanged([...asking, taking])
    expect(told).toEqual(ids.map((id) => `{"jsonrpc":"2.0","id":${id},"result":"session/list"}`))
    expect(messages.at(-1)).toMatchObject({
      params: { requestId: "id" in messages[0]! ? messages[0].id : "none" }
    })
  })

  it("answers what is too long or too deep with an error, and reads what follows (X3)", async () => {
    const long = "x".repeat(longestMessage)
    const deep = `${"[".repeat(600)}${"]".repeat(600)}`
    const list = '{"jsonrpc":"2.0","id":9,"method":"session/list"}'
    const { messages, told } = await exchanged([
      `{"jsonrpc":"2.0","id":"a\\"b","method":"session/prompt","params":{"text":"${long}","id":5}}`,
      `{"jsonrpc":"2.0","method":"session/prompt","params":{"text":"${long}"},"id":5}`,
      `{"jsonrpc":"2.0","id":9007199254740993,"method":"session/prompt","params":${deep}}`,
      `{"jsonrpc":"2.0","id":3,"result":{"content":"${long}"}}`,
      list
    ])
    expect(told.map((line) => (JSON.parse(line) as { readonly id: unknown }).id)).toEqual(['a"b', null, 2 ** 53, 9])
    expect(told[2]).toContain('"id":9007199254740993,')
    expect(errorOf(told[0])).toMatchObject({ code: -32600, message: expect.stringContaining("longer than 32.0 MiB") })
    expect(errorOf(told[2])).toMatchObject({ code: -32600, message: expect.stringContaining("nested deeper") })
    // The request that the editor has answered fails, whatever it was.
    expect(messages).toMatchObject([{ id: 3, error: { code: -32600 } }, JSON.parse(list)])
  })

  it("waits with its end for the answer to every request (X3)", async () => {
    const ids = ["", "a", 0, 1.5, null]
    const { stream } = wireOf(ids.map((id) => JSON.stringify({ jsonrpc: "2.0", id, method: "session/list" })))
    const reader = stream.readable.getReader()
    for (const id of ids) expect((await reader.read()).value).toMatchObject({ id })
    let isOver = false
    const end = reader.read().then(({ done }) => (isOver = done))
    const writer = stream.writable.getWriter()
    for (const id of ids) {
      await writer.ready
      expect(isOver).toBe(false)
      await writer.write({ jsonrpc: "2.0", id, result: {} })
    }
    expect(await end).toBe(true)
  })
})
