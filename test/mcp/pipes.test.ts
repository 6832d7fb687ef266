// @effect-diagnostics asyncFunction:off newPromise:off - reads real streams
import { assert, describe, it } from "@effect/vitest"
import { PassThrough } from "node:stream"
import * as ClientPipes from "../../src/mcp/gateway/ClientPipes.ts"
import { LineReader } from "../../src/text/LineReader.ts"

interface Reply {
  readonly id: unknown
  readonly error?: { readonly code: number }
}

/** A client at the other end, and what the gateway gets and gives. */
const connected = async () => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const got: Array<unknown> = []
  const replies: Array<Reply> = []
  const lines = new LineReader(1_000_000)
  output.on("data", (chunk: Buffer) => {
    for (const { text } of lines.push(chunk.toString())) replies.push(JSON.parse(text) as Reply)
  })
  const transport = ClientPipes.make(input, output)
  const closed = new Promise<void>((resolve) => Object.assign(transport, { onclose: resolve }))
  Object.assign(transport, { onmessage: (message: unknown) => void got.push(message) })
  await transport.start()
  const say = async (text: string, then: () => Promise<string> = () => Promise.resolve("")) => {
    const read = (piece: string) => new Promise<unknown>((resolve) => input.write(piece, resolve))
    for (let at = 0; at < text.length; at += 65_536) await read(text.slice(at, at + 65_536))
    await read(await then())
    input.end()
    await closed
  }
  const answer = (message: object) => transport.send(message as never)
  return { answer, got, replies, say }
}

const request = (id: unknown, more: object = {}) => ({ jsonrpc: "2.0", id, method: "ping", ...more })

describe("what a client writes to the gateway's standard input", () => {
  for (const [what, line, code, id] of [
    ["no JSON", "not json", -32700, undefined],
    ["JSON that is too deep", `${"[".repeat(1000)}${"]".repeat(1000)}`, -32700, undefined],
    ["a number", "5", -32600, undefined],
    ["an empty batch", "[]", -32600, undefined],
    ["an empty object", "{}", -32600, undefined],
    ["another version", '{"jsonrpc":"1.0","id":"a","method":"ping"}', -32600, "a"],
    ["no version", '{"id":"a","method":"ping"}', -32600, "a"],
    ["a method that is a number", '{"jsonrpc":"2.0","id":"a2","method":5}', -32600, "a2"],
    ["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, undefined],
    [
      "an id that would be read as another one",
      '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}',
      -32600,
      undefined
    ],
    [
      "an integer that would be read as another one",
      '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"t":"\\"9007199254740993","n":[-9007199254740993]}}',
      -32602,
      7
    ],
    ["a number that has no end", '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"n":1e400}}', -32602, 7],
    ["params that are a list", '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[1]}', -32602, 7]
  ] as const)
    it(`is answered with an error where it is ${what} (G20)`, async () => {
      const { got, replies, say } = await connected()
      await say(`${line}\n${JSON.stringify(request(1))}\n`)
      assert.deepStrictEqual(
        replies.map((reply) => [reply.id, reply.error?.code]),
        [[id, code]]
      )
      assert.deepStrictEqual(got, [request(1)])
    })

  it("is read where its numbers stay what they are (G20)", async () => {
    const { got, replies, say } = await connected()
    const params = '{"a":9007199254740992,"b":0.12345678901234567890,"c":"9007199254740993","d":1e300}'
    await say(`{"jsonrpc":"2.0","id":1,"method":"ping","params":${params}}\n`)
    assert.deepStrictEqual([got, replies], [[request(1, { params: JSON.parse(params) })], []])
  })

  it("is refused where its id is that of a request that is open, which alone gets an answer under it (G20)", async () => {
    const { answer, got, replies, say } = await connected()
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } }
    const first = [request(1), request(2), request(1), cancelled, request(2)]
    const lines = (messages: ReadonlyArray<object>) => messages.map((one) => `${JSON.stringify(one)}\n`).join("")
    await say(lines(first), async () => {
      assert.deepStrictEqual(got, [request(1), request(2), cancelled, request(2)])
      await answer({ jsonrpc: "2.0", id: 1, result: {} })
      return lines([request(1)])
    })
    assert.deepStrictEqual(
      replies.map(({ error, id }) => [id, error?.code]),
      [
        [undefined, -32600],
        [1, undefined]
      ]
    )
    assert.deepStrictEqual(got.at(-1), request(1))
  })

  it("is answered with an error where a line is too long, and what follows is read (G20)", async () => {
    const { got, replies, say } = await connected()
    const long = JSON.stringify(request(1, { params: { text: "x".repeat(40 * 1024 * 1024) } }))
    await say(`${JSON.stringify(request(0))}\n${long}\n${JSON.stringify(request(2))}\n${JSON.stringify(request(3))}\n`)
    assert.deepStrictEqual(
      replies.map((reply) => [reply.id, reply.error?.code]),
      [[undefined, -32600]]
    )
    assert.deepStrictEqual(got, [request(0), request(2), request(3)])
  })

  it("is read as its members where it is a batch, and each that is no message is answered (G20)", async () => {
    const { got, replies, say } = await connected()
    await say(`${JSON.stringify([request(1), { jsonrpc: "2.0", id: 2, method: 5 }, request("é")])}\n`)
    assert.deepStrictEqual(
      replies.map((reply) => reply.id),
      [2]
    )
    assert.deepStrictEqual(got, [request(1), request("é")])
  })

  it("is not answered where it is an invalid answer (G20)", async () => {
    const { got, replies, say } = await connected()
    await say('{"jsonrpc":"2.0","id":1,"result":null}\n{"jsonrpc":"2.0","id":1,"error":"boom"}\n')
    assert.deepStrictEqual([got, replies], [[], []])
  })
})
