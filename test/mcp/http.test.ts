// @effect-diagnostics asyncFunction:off newPromise:off - a hostile server of the web
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as http from "node:http"
import type * as net from "node:net"
import type { KnownServer } from "../../src/mcp/KnownServer.ts"
import { approveAll, calling, directory, servers } from "./support.ts"

interface Asked {
  readonly id?: number
  readonly method: string
  readonly params?: { readonly protocolVersion?: string; readonly name?: string }
}

const chunk = "y".repeat(64 * 1024)

/** A server that answers calls of `huge` without an end, and sends those of `away` to another place. */
const hostile = Effect.acquireRelease(
  Effect.async<{ readonly server: http.Server; readonly url: string; readonly sent: () => number }>((resume) => {
    let sent = 0
    const server = http.createServer((request, response) => {
      let body = ""
      request.on("data", (piece: Buffer) => (body += piece.toString()))
      request.on("end", () => {
        if (request.method !== "POST") return void response.writeHead(405).end()
        const { id, method, params } = JSON.parse(body) as Asked
        if (id === undefined) return void response.writeHead(202).end()
        const answer = (rest: object) => {
          response.writeHead(200, { "content-type": "application/json" })
          response.end(JSON.stringify({ jsonrpc: "2.0", id, ...rest }))
        }
        if (method === "initialize")
          return answer({
            result: {
              protocolVersion: params?.protocolVersion,
              capabilities: { tools: {} },
              serverInfo: { name: "web", version: "1" }
            }
          })
        if (method === "tools/list") {
          const tools = ["huge", "stream", "broken", "away"].map((name) => ({ name, inputSchema: { type: "object" } }))
          return answer({ result: { tools } })
        }
        if (method !== "tools/call") return answer({ error: { code: -32601, message: "Method not found" } })
        if (params?.name === "away") return void response.writeHead(307, { location: "http://127.0.0.1:9/" }).end()
        if (params?.name === "broken") {
          response.writeHead(200, { "content-type": "text/event-stream" })
          response.write(": it begins\n\n")
          return void setImmediate(() => response.destroy())
        }
        const isStream = params?.name === "stream"
        response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" })
        response.write(isStream ? "data: " : "{")
        const pour = () => {
          while (!response.destroyed) {
            sent += chunk.length
            if (!response.write(chunk)) return
          }
        }
        response.on("drain", pour)
        pour()
      })
    })
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as net.AddressInfo
      resume(Effect.succeed({ server, url: `http://127.0.0.1:${port}/mcp`, sent: () => sent }))
    })
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
)

describe("an MCP server that is reached by HTTP", () => {
  it.scopedLive(
    "is bounded in what it answers, fails at once where its answer breaks off, and leads nowhere else (G1, G16, X2)",
    () =>
      Effect.gen(function* () {
        const at = yield* directory
        const { sent, url } = yield* hostile
        const known: KnownServer = {
          name: "web",
          origin: "user",
          given: {},
          server: { url, timeouts: { idle: Duration.seconds(30) } }
        }
        yield* approveAll(at, known)
        const { call } = yield* calling(yield* servers(at, [known]))
        for (const name of ["huge", "stream", "broken"]) {
          const before = sent()
          const end = yield* Effect.either(call(`web__${name}`))
          assert.strictEqual(end._tag, "Left")
          if (end._tag === "Left") assert.match(end.left.message, /outcome unknown/)
          assert.isBelow(sent() - before, 64 * 1024 * 1024)
        }
        const away = yield* Effect.either(call("web__away"))
        assert.strictEqual(away._tag, "Left")
      })
  )
})
