// @effect-diagnostics asyncFunction:off newPromise:off - reads what a real server answers
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import type { JSONRPCErrorResponse, RequestId } from "@modelcontextprotocol/client"
import { boundedFetch } from "../../src/mcp/boundedFetch.ts"
import { eachEvent } from "../../src/mcp/eachEvent.ts"

/** What becomes of a stream of events that comes in these pieces, with its data in capitals. */
const read = async (pieces: ReadonlyArray<string>, most: number): Promise<string> => {
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
      controller.close()
    }
  })
  return new Response(stream.pipeThrough(eachEvent((data) => data.toUpperCase(), most))).text()
}

describe("what a server answers by HTTP", () => {
  const server = http.createServer(({ url }, response) => {
    if (url === "/events") {
      response.writeHead(200, { "content-type": "Text/Event-Stream; charset=utf-8" })
      return void response.end(`data: {"n":1}\n\n`.repeat(100))
    }
    if (url === "/lines") {
      response.writeHead(200, { "content-type": "text/event-stream" })
      return void response.end(`data: {"id": 7,\ndata: "neither": 1}\n\n`)
    }
    response.writeHead(500, { "content-type": "text/plain" })
    response.on("error", () => {})
    for (let count = 0; count < 64; count++) response.write("no ".repeat(100_000))
    response.end()
  })
  beforeAll(() => new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve)))
  afterAll(() => new Promise<void>((resolve) => void server.close(() => resolve())))

  it("with an error is read to 64 KiB, and stays that error (X1, R5)", async () => {
    const { port } = server.address() as AddressInfo
    const response = await boundedFetch(1000)(`http://127.0.0.1:${port}/`, { method: "POST", body: "{}" })
    assert.strictEqual(response.status, 500)
    assert.isAtMost((await response.text()).length, 64 * 1024)
  })

  it("as a stream of events is read event by event, however its type is written (X1, R5)", async () => {
    const { port } = server.address() as AddressInfo
    const changed = boundedFetch(200, (data) => data.replace("1", "2"))
    const response = await changed(`http://127.0.0.1:${port}/events`, { method: "POST", body: "{}" })
    assert.strictEqual(await response.text(), `data: {"n":2}\n\n`.repeat(100))
  })

  it("as one event of many lines is one message, however its lines end and the network cuts them (X1, R5)", async () => {
    for (const end of ["\n", "\r\n", "\r"]) {
      const line = `data: ${"x".repeat(40)}${end}`
      const many = Array.from({ length: 20 }, () => `id: 1${end}event: message${end}${line}${line}${end}`)
      const heard = `id: 1\nevent: message\n${`data: ${"X".repeat(40)}\n`.repeat(2)}\n`
      assert.strictEqual(await read(many, 200), heard.repeat(20))
      assert.strictEqual(await read([...many.join("")], 200), heard.repeat(20))
      const lines = Array.from({ length: 20 }, () => line)
      assert.match(await read(lines, 200).catch(String), /a message had more than 200 bytes/)
      assert.match(await read([...lines.join("")], 200).catch(String), /a message had more than 200 bytes/)
    }
  })

  it("as an event over several lines is used as the one message that it is (X1, R5)", async () => {
    const ids: Array<unknown> = []
    const lost = (id: RequestId, message: string): JSONRPCErrorResponse => {
      ids.push(id)
      return { jsonrpc: "2.0", id, error: { code: -32603, message } }
    }
    const { port } = server.address() as AddressInfo
    const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "ping" })
    const response = await boundedFetch(200, undefined, { lost })(`http://127.0.0.1:${port}/lines`, {
      method: "POST",
      body
    })
    assert.include(await response.text(), '"error"')
    assert.deepStrictEqual(ids, [7])
  })

  it("says nothing in comments, and breaks off where nothing else comes (X1, R5)", async () => {
    assert.strictEqual(await read([": alive\n\n", "data: a\n\n", ": alive\n\n"], 200), "data: A\n\n")
    const comments = Array.from({ length: 40 }, () => ": alive\n\n")
    assert.match(await read(comments, 200).catch(String), /a message had more than 200 bytes/)
  })
})
