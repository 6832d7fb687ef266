// @effect-diagnostics asyncFunction:off newPromise:off - reads what a real server answers
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { boundedFetch, counting } from "../../src/mcp/boundedFetch.ts"

const read = async (pieces: ReadonlyArray<string>, most: number): Promise<string> => {
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
      controller.close()
    }
  })
  return new Response(stream.pipeThrough(counting(most, true))).text()
}

describe("what a server answers by HTTP", () => {
  const server = http.createServer(({ url }, response) => {
    if (url === "/events") {
      response.writeHead(200, { "content-type": "Text/Event-Stream; charset=utf-8" })
      return void response.end(`data: {"n":1}\n\n`.repeat(100))
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

  it("as one event of many lines is one message, however its lines end (X1, R5)", async () => {
    for (const end of ["\n", "\r\n", "\r"]) {
      const line = `data: ${"x".repeat(40)}${end}`
      const event = `${line}${line}${end}`
      const many = Array.from({ length: 20 }, () => event)
      assert.strictEqual(await read(many, 200), many.join(""))
      assert.strictEqual(await read([...many.join("")], 200), many.join(""))
      const lines = Array.from({ length: 20 }, () => line)
      assert.match(await read(lines, 200).catch(String), /a message had more than 200 bytes/)
      assert.match(await read([...lines.join("")], 200).catch(String), /a message had more than 200 bytes/)
    }
  })
})
