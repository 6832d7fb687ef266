// @effect-diagnostics asyncFunction:off newPromise:off - a server of the web that ends its streams
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import * as TestClock from "effect/TestClock"
import * as http from "node:http"
import type * as net from "node:net"
import type { KnownServer } from "../../src/mcp/KnownServer.ts"
import * as Reconnecting from "../../src/mcp/Reconnecting.ts"
import { directory, servers } from "./support.ts"

/** A server that ends the stream of what it says by itself at once, and wants it to be asked for again at once. */
const ending = Effect.acquireRelease(
  Effect.async<{ readonly server: http.Server; readonly known: KnownServer; readonly streams: () => number }>(
    (resume) => {
      let streams = 0
      const server = http.createServer((request, response) => {
        let body = ""
        request.on("data", (piece: Buffer) => (body += piece.toString()))
        request.on("end", () => {
          if (request.method === "GET") {
            streams++
            return void response.writeHead(200, { "content-type": "text/event-stream" }).end("retry: 0\n\n")
          }
          if (request.method !== "POST") return void response.writeHead(405).end()
          const { id, method, params } = JSON.parse(body) as {
            readonly id?: unknown
            readonly method: string
            readonly params?: { readonly protocolVersion?: string }
          }
          if (id === undefined) return void response.writeHead(202).end()
          const { protocolVersion } = params ?? {}
          const told =
            method === "initialize"
              ? { result: { protocolVersion, capabilities: {}, serverInfo: { name: "web", version: "1" } } }
              : method === "ping"
                ? { result: {} }
                : { error: { code: -32601, message: "Method not found" } }
          response.writeHead(200, { "content-type": "application/json" })
          response.end(JSON.stringify({ jsonrpc: "2.0", id, ...told }))
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const url = `http://127.0.0.1:${(server.address() as net.AddressInfo).port}/mcp`
        const known: KnownServer = { name: "web", origin: "user", given: {}, server: { url } }
        resume(Effect.succeed({ server, known, streams: () => streams }))
      })
    }
  ),
  ({ server }) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
)

describe("a stream of a server that ends at once", () => {
  it.scoped("is not asked for again at once, whatever the server wants (X1, G16)", () =>
    Effect.gen(function* () {
      const { known, streams } = yield* ending
      const [slot] = (yield* servers(yield* directory, [known])).all
      const { connection } = yield* slot!.acquire
      // No time passes on this clock, however long the requests take.
      const ping = connection.request("ping", (client) => client.ping())
      yield* Effect.repeatN(ping, 200)
      assert.strictEqual(streams(), 1)
    })
  )

  it.scoped("is asked for less and less often, and at its own pace once it says something (X1, G16)", () =>
    Effect.gen(function* () {
      const { heard, reconnectionScheduler } = yield* Reconnecting.make
      const times: Array<number> = []
      const runtime = yield* Effect.runtime()
      const again = (): void => {
        times.push(Runtime.runSync(runtime)(Clock.currentTimeMillis))
        reconnectionScheduler(again, 0, 0)
      }
      again()
      yield* TestClock.adjust("1 minute")
      const gaps = () => times.slice(1).map((time, index) => time - times[index]!)
      assert.deepStrictEqual(gaps().slice(0, 9), [100, 100, 100, 250, 500, 1000, 2000, 4000, 5000])
      assert.isBelow(times.length, 22)
      times.length = 0
      heard()
      yield* TestClock.adjust("6 seconds")
      assert.deepStrictEqual(gaps().slice(0, 3), [100, 100, 100])
    })
  )

  it.scoped("is not asked for any more once that is called off (X1)", () =>
    Effect.gen(function* () {
      const { reconnectionScheduler } = yield* Reconnecting.make
      let asked = 0
      const callOff = reconnectionScheduler(() => void asked++, 5000, 0)
      yield* TestClock.adjust("4 seconds")
      callOff?.()
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(asked, 0)
    })
  )
})
