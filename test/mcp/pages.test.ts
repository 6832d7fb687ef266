// @effect-diagnostics asyncFunction:off - speaks for a server in the place of one
import { assert, describe, it } from "@effect/vitest"
import * as Library from "@modelcontextprotocol/client"
import type { JSONRPCMessage, RequestId, Transport } from "@modelcontextprotocol/client"
import * as Sieve from "../../src/mcp/Sieve.ts"

/**
 * A server whose list of tools never ends, one of 1,000 characters a page; `asked` are the pages that were wanted. `answering` is the id
 * under which it answers.
 */
const endless = (answering: (id: RequestId) => RequestId) => {
  const asked: Array<string> = []
  const answers = (method: string, cursor: unknown): object => {
    if (method === "initialize")
      return { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }
    asked.push(String(cursor ?? "first"))
    const tool = { name: `tool${asked.length}`, description: "x".repeat(900), inputSchema: { type: "object" } }
    return { tools: [tool], nextCursor: `page${asked.length}` }
  }
  const transport: Transport = {
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
    send: (message) => {
      if ("method" in message && "id" in message) {
        const result = answers(message.method, message.params?.["cursor"])
        const answer = { jsonrpc: "2.0", id: answering(message.id), result } as JSONRPCMessage
        queueMicrotask(() => transport.onmessage?.(answer))
      }
      return Promise.resolve()
    }
  }
  return { transport, asked }
}

describe("a list of a server that goes on and on", () => {
  it.each([
    ["the id that it was asked under", (id: RequestId) => id],
    ["its digits, which the library takes for it", (id: RequestId) => `${id}`],
    ["another number that is read as it", (id: RequestId) => ` ${id}.0`]
  ])("is read as far as it may be long, and told to be longer, under %s (X1, R5)", async (_, answering) => {
    const { asked, transport } = endless(answering)
    const sieve = Sieve.make(transport, Library, 2500)
    const client = new Library.Client({ name: "c", version: "1" }, { versionNegotiation: { mode: "legacy" } })
    await client.connect(transport)
    for (const time of [1, 2]) {
      asked.length = 0
      const { tools } = await client.listTools(undefined, { cacheMode: "refresh" })
      assert.deepStrictEqual([time, tools.length, asked], [time, 3, ["first", "page1", "page2"]])
      assert.isTrue(sieve.isCut("tools/list"))
    }
    assert.isFalse(sieve.isCut("prompts/list"))
    await client.close()
  })
})
