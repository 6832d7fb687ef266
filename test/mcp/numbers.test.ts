// @effect-diagnostics asyncFunction:off newPromise:off - what real servers answer, by both ways to them
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as http from "node:http"
import type * as net from "node:net"
import * as Digits from "../../src/mcp/Digits.ts"
import { inexactNumber } from "../../src/mcp/JsonRpc.ts"
import type { KnownServer } from "../../src/mcp/KnownServer.ts"
import type { CallResult } from "../../src/mcp/ServerResult.ts"
import { approveAll, directory, planned, servers, tool } from "./support.ts"

const answers: Readonly<Record<string, string>> = {
  data: '{"content":[{"type":"text","text":"word"}],"structuredContent":{"a":9007199254740993,"s":"9007199254740993","b":[1e400,1.5]}}',
  exact:
    '{"content":[],"structuredContent":{"a":9007199254740992,"d":28139309885755350,"b":1e3,"c":"9007199254740993"}}',
  crowded: `{"content":[],"structuredContent":{"a":[${"9007199254740993,".repeat(100_000)}9007199254740993]}}`,
  deep: `{"content":[],"structuredContent":{"a":9007199254740993,"b":${"[".repeat(9000)}${"]".repeat(9000)}}}`,
  about: '{"content":[{"type":"text","text":"word","_meta":{"at":1732934400123456789}}],"structuredContent":{"a":1}}'
}

/** Such a server on the web, which answers calls as JSON or as events. */
const web = (isEvents: boolean) =>
  Effect.acquireRelease(
    Effect.async<http.Server>((resume) => {
      const server = http.createServer((request, response) => {
        let body = ""
        request.on("data", (piece: Buffer) => (body += piece.toString()))
        request.on("end", () => {
          if (request.method !== "POST") return void response.writeHead(405).end()
          const {
            id,
            method,
            params = {}
          } = JSON.parse(body) as {
            readonly id?: unknown
            readonly method: string
            readonly params?: { readonly protocolVersion?: string; readonly name?: string }
          }
          if (id === undefined) return void response.writeHead(202).end()
          const { name = "", protocolVersion } = params
          const tools = Object.keys(answers).map((known) => ({ name: known, inputSchema: { type: "object" } }))
          const result =
            method === "initialize"
              ? JSON.stringify({
                  protocolVersion,
                  capabilities: { tools: {} },
                  serverInfo: { name: "w", version: "1" }
                })
              : method === "tools/list"
                ? JSON.stringify({ tools })
                : answers[name]
          const message =
            result === undefined
              ? `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":-32601,"message":"Method not found"}}`
              : `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`
          if (!isEvents) return void response.writeHead(200, { "content-type": "application/json" }).end(message)
          response.writeHead(200, { "content-type": "text/event-stream" })
          // In pieces, and over several lines, as an event may be.
          const event = `: hi\r\ndata: ${message.replaceAll(",", ",\r\ndata:")}\r\n\r\n`
          for (const part of event.length < 10_000 ? event : [event]) response.write(part)
          response.end()
        })
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )

const known = {
  "a program": (at: string) =>
    Effect.succeed(
      planned(at, "fix", {
        tools: Object.entries(answers).map(([name, result]) =>
          tool(name, { does: "raw", line: `{"jsonrpc":"2.0","id":ID,"result":${result}}` })
        )
      }).known
    ),
  "HTTP as JSON": () => Effect.map(web(false), at),
  "HTTP as events": () => Effect.map(web(true), at)
}
const at = (server: http.Server): KnownServer => ({
  name: "fix",
  origin: "user",
  given: {},
  server: { url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}/mcp` }
})

describe("a number of a server that is read as another one", () => {
  for (const [way, make] of Object.entries(known))
    it.scopedLive(`is told in its digits, and never as that other one: ${way} (X1, X2)`, () =>
      Effect.gen(function* () {
        const base = yield* directory
        const server = yield* make(base)
        yield* approveAll(base, server)
        const [slot] = (yield* servers(base, [server])).all
        const { connection } = yield* slot!.acquire
        const call = (name: string) =>
          connection.request<CallResult>(name, (client, options) => client.callTool({ name }, options))
        const data = yield* call("data")
        assert.isTrue(data.isError)
        assert.isUndefined(data.structuredContent)
        assert.deepStrictEqual(
          data.content.map((block) => (block.type === "text" ? block.text : "")),
          [
            "The tool has run, but its result cannot be used as data: the number 9007199254740993 would be read as another one.",
            "word",
            '{"a":9007199254740993,"s":"9007199254740993","b":[1e400,1.5]}'
          ]
        )
        const exact = yield* call("exact")
        assert.isUndefined(exact.isError)
        assert.deepStrictEqual(exact.structuredContent, {
          a: 2 ** 53,
          d: 28139309885755352,
          b: 1000,
          c: "9007199254740993"
        })
        const about = yield* call("about")
        assert.isUndefined(about.isError)
        assert.deepStrictEqual(about.structuredContent, { a: 1 })
        assert.deepStrictEqual(about.content[0]?._meta, { at: "1732934400123456789" })
        for (const [name, why] of [
          ["crowded", "its answer has too many numbers that would be read as others"],
          ["deep", /its answer is (?:nested )?too deep/]
        ] as const) {
          const { reason, unknown } = yield* Effect.flip(call(name))
          assert.match(reason, typeof why === "string" ? new RegExp(why) : why)
          if (name === "crowded") assert.isTrue(unknown)
        }
      })
    )

  it("is kept in so many places of a text at most (X1, R5)", () => {
    const text = JSON.stringify({ a: Array.from({ length: 1_000_000 }, () => 1) }).replaceAll("1", "9007199254740993")
    assert.isBelow(Digits.make().keep(text).length - text.length, 6_000_000)
  })

  it("is found in a text of any length, behind any string (X1, X2)", () => {
    const long = JSON.stringify({ text: "\n".repeat(4_000_000), n: 1 })
    assert.strictEqual(inexactNumber(long.replace(/1\}$/, "9007199254740993}")), "9007199254740993")
    assert.isUndefined(inexactNumber(long.replace(/1\}$/, '"9007199254740993"}')))
  })
})
