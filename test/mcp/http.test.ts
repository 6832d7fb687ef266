// @effect-diagnostics asyncFunction:off newPromise:off - a hostile server of the web
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
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

/** A server of the web that gives what is asked of it to `handle`, and greets and lists its tools by itself. */
const serving = (
  tools: ReadonlyArray<string>,
  handle: (asked: Asked, response: http.ServerResponse) => void,
  greeting: (asked: Asked, request: http.IncomingMessage) => number | http.OutgoingHttpHeaders = () => ({})
) =>
  http.createServer((request, response) => {
    let body = ""
    request.on("data", (piece: Buffer) => (body += piece.toString()))
    request.on("end", () => {
      if (request.method !== "POST") return void response.writeHead(405).end()
      const asked = JSON.parse(body) as Asked
      const { id, method, params } = asked
      const headers = greeting(asked, request)
      if (typeof headers === "number") return void response.writeHead(headers).end("No valid session")
      if (id === undefined) return void response.writeHead(202).end()
      const answer = (rest: object) => {
        response.writeHead(200, { "content-type": "application/json", ...headers })
        response.end(JSON.stringify({ jsonrpc: "2.0", id, ...rest }))
      }
      const { protocolVersion } = params ?? {}
      if (method === "initialize")
        return answer({
          result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "web", version: "1" } }
        })
      if (method === "tools/list")
        return answer({ result: { tools: tools.map((name) => ({ name, inputSchema: { type: "object" } })) } })
      if (method !== "tools/call") return answer({ error: { code: -32601, message: "Method not found" } })
      handle(asked, response)
    })
  })

const events = "text/event-stream"
const event = (data: string) => `data: ${data}\n\n`

/** Answers to calls that are none, and what is said of them; a stream of events goes on behind its own. */
const none: Readonly<Record<string, readonly [status: number, body: string, said: string, type?: string]>> = {
  accepted: [202, "", "it has answered 202 Accepted without a message"],
  list: [200, "[]", "its answer is no message of the protocol"],
  other: [200, '{"jsonrpc":"2.0","id":"other","result":{}}', "its answer is no message of the protocol"],
  word: [200, "hello", "its answer is malformed JSON"],
  number: [200, event('{"jsonrpc":"2.0","id":ID,"result":7}'), "its answer is no message of the protocol", events],
  batch: [200, event('[{"jsonrpc":"2.0","id":ID,"result":{}}]'), "its answer is no message of the protocol", events],
  more: [
    200,
    event('{"jsonrpc":"2.0","id":"ID","result":{},"more":1}'),
    "its answer is no message of the protocol",
    events
  ]
}

/** A server that answers calls of `huge` without an end, and sends those of `away` to another place. */
const hostile = Effect.acquireRelease(
  Effect.async<{ readonly server: http.Server; readonly url: string; readonly sent: () => number }>((resume) => {
    let sent = 0
    const server = serving(["huge", "stream", "broken", "away", ...Object.keys(none)], ({ id, params }, response) => {
      if (params?.name === "away")
        return void response.writeHead(307, { location: "http://me:pass@127.0.0.1:9/p?key=pass" }).end()
      const answer = none[params?.name ?? ""]
      if (answer !== undefined) {
        const [status, body, , type = "application/json"] = answer
        response.writeHead(status, { "content-type": type }).write(body.replace("ID", String(id)))
        return type === events ? undefined : void response.end()
      }
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

/** A server whose sessions end when it starts anew, and that answers calls with the statuses that are put. */
const restarting = Effect.gen(function* () {
  let sessions = 0
  let current = "s0"
  let unknownStatus = 404
  const statuses: Array<number> = []
  const seen: Array<string> = []
  const server = serving(
    ["put"],
    ({ id }, response) => {
      const status = statuses.shift()
      if (status !== undefined) return void response.writeHead(status).end("no")
      response.writeHead(200, { "content-type": "application/json" })
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: { content: [] } }))
    },
    ({ id, method }, { headers }) => {
      const isGreeting = method === "initialize"
      const isKnown = isGreeting || method === "server/discover" || headers["mcp-session-id"] === current
      if (!isKnown) return unknownStatus
      if (id !== undefined) seen.push(method)
      if (!isGreeting) return {}
      current = `s${++sessions}`
      return { "mcp-session-id": current }
    }
  )
  const listen = (port: number) =>
    Effect.async<number>((resume) => {
      server.listen(port, "127.0.0.1", () => resume(Effect.succeed((server.address() as net.AddressInfo).port)))
    })
  const close = Effect.async<void>((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })
  const port = yield* Effect.acquireRelease(listen(0), () => close)
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    asked: (method: string) => seen.filter((one) => one === method).length,
    statuses,
    restart: (status: number) => {
      current = "none"
      unknownStatus = status
    },
    /** Stops it; what comes of that starts it again. */
    stop: Effect.as(close, Effect.asVoid(listen(port)))
  }
})

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
        const { message } = yield* Effect.flip(away)
        assert.include(message, "it redirects to 127.0.0.1:9, which is not followed")
        assert.notInclude(message, "pass")
        for (const [name, [, , reason]] of Object.entries(none))
          assert.include((yield* Effect.flip(call(`web__${name}`))).message, `outcome unknown (${reason})`)
      })
  )

  it.scopedLive(
    "is not said to have done what it refused, and is greeted anew once it knows no session more (G13, X1)",
    () =>
      Effect.gen(function* () {
        const at = yield* directory
        const { asked, restart, statuses, stop, url } = yield* restarting
        const known: KnownServer = { name: "web", origin: "user", given: {}, server: { url } }
        yield* approveAll(at, known)
        const { call } = yield* calling(yield* servers(at, [known]))
        const failed = Effect.flip(call("web__put")).pipe(Effect.map(({ message }) => message))
        yield* call("web__put")
        for (const [status, told] of [
          [401, /failed: .*tollgate mcp login web/],
          [403, /failed: it has answered 403 Forbidden: no$/],
          [429, /failed: it has answered 429 Too Many Requests/],
          [408, /outcome unknown/],
          [500, /outcome unknown/],
          [502, /outcome unknown/]
        ] as const) {
          statuses.push(status)
          assert.match(yield* failed, told)
        }
        yield* call("web__put")
        for (const status of [404, 400]) {
          restart(status)
          assert.match(yield* failed, /failed: its session has ended there/)
          const before = asked("tools/call")
          yield* call("web__put")
          assert.strictEqual(asked("tools/call"), before + 1)
        }
        const again = yield* stop
        // A connection that was kept may have taken the request before it broke off.
        assert.match(yield* failed, /outcome unknown \(the connection broke off\)|failed: nobody listens there/)
        assert.match(yield* failed, /failed: nobody listens there/)
        yield* again
        yield* call("web__put")
      })
  )

  it.scopedLive("has its connection back once nobody waits for its answer any more (X1, G11, R5)", () =>
    Effect.gen(function* () {
      const at = yield* directory
      const seen = yield* Queue.unbounded<string>()
      const server = serving(["mute", "stream"], ({ params }, response) => {
        const name = params?.name ?? ""
        response.once("close", () => seen.unsafeOffer(`left ${name}`))
        if (name === "stream") response.writeHead(200, { "content-type": events }).write(": it begins\n\n")
        seen.unsafeOffer(`begun ${name}`)
      })
      const port = yield* Effect.acquireRelease(
        Effect.async<number>((resume) => {
          server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as net.AddressInfo).port)))
        }),
        () =>
          Effect.sync(() => {
            server.closeAllConnections()
            server.close()
          })
      )
      const known: KnownServer = {
        name: "web",
        origin: "user",
        given: {},
        server: { url: `http://127.0.0.1:${port}/mcp` }
      }
      yield* approveAll(at, known)
      const { call } = yield* calling(yield* servers(at, [known]))
      for (const name of ["mute", "stream"]) {
        const running = yield* Effect.fork(call(`web__${name}`))
        assert.strictEqual(yield* Queue.take(seen), `begun ${name}`)
        yield* Fiber.interrupt(running)
        assert.strictEqual(yield* Effect.timeout(Queue.take(seen), "10 seconds"), `left ${name}`)
      }
    })
  )

  it.scopedLive("is sent no value that a header cannot hold, and nobody is told of that value (G3, S5)", () =>
    Effect.gen(function* () {
      const at = yield* directory
      const { url } = yield* restarting
      for (const ending of ["\nsecond", "\r\n X: 1", "\u0000", "—"]) {
        const known: KnownServer = {
          name: "web",
          origin: "user",
          given: {},
          server: { url, headers: { Authorization: "Bearer env:TOK" } }
        }
        const made = yield* servers(at, [known], { TOK: `correct-horse${ending}` })
        const { message } = yield* Effect.flip(made.all[0]!.refresh)
        assert.include(message, "Authorization is TOK of your environment")
        assert.notInclude(message, "horse")
        const spelled: KnownServer = { ...known, given: { "X-Key": `correct-horse${ending}` }, server: { url } }
        const other = yield* Effect.flip((yield* servers(at, [spelled])).all[0]!.refresh)
        assert.include(other.message, "its header X-Key has a line break")
        assert.notInclude(other.message, "horse")
      }
    })
  )
})
