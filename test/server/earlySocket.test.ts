// @effect-diagnostics asyncFunction:off newPromise:off - a client of a real server
import { assert, describe, it } from "@effect/vitest"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Layer } from "effect"
import * as http from "node:http"
import * as net from "node:net"
import { parse } from "../../src/server/Address.ts"
import * as EarlySocket from "../../src/server/EarlySocket.ts"
import { node } from "../../src/server/NodeListener.ts"

/** A port that nobody has. */
const freePort = Effect.async<number>((resume) => {
  const server = net.createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address() as net.AddressInfo
    server.close(() => resume(Effect.succeed(port)))
  })
})

const asked = (port: number) =>
  new Promise<string>((resolve, reject) => {
    http
      .get({ host: "127.0.0.1", port, agent: false }, (response) => {
        let text = ""
        response.setEncoding("utf8").on("data", (piece: string) => (text += piece))
        response.once("end", () => resolve(text))
      })
      .once("error", reject)
  })

const opened = (port: number) =>
  Effect.async<void>((resume) => EarlySocket.open({ host: "127.0.0.1", port }, () => resume(Effect.void)))

const hello = HttpServer.serve(Effect.succeed(HttpServerResponse.unsafeJson("hello")))

describe("a socket that is opened early", () => {
  it.scopedLive("has who connects before there is a server answered by it, and who comes later too (R11)", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      yield* opened(port)
      const early = asked(port)
      // The kernel has the connection before anybody takes it.
      yield* Effect.async<void>((resume) => {
        const socket = net.connect(port, "127.0.0.1", () => {
          socket.destroy()
          resume(Effect.void)
        })
      })
      yield* Layer.build(Layer.provide(hello, node({ host: "127.0.0.1", port })))
      assert.strictEqual(yield* Effect.promise(() => early), '"hello"')
      assert.strictEqual(yield* Effect.promise(() => asked(port)), '"hello"')
    })
  )

  it.scopedLive("is closed with the server that has taken it (R11)", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      yield* opened(port)
      yield* Effect.scoped(Layer.build(Layer.provide(hello, node({ host: "127.0.0.1", port }))))
      const problem = yield* Effect.promise(() =>
        asked(port).then(
          () => "answered",
          (error: NodeJS.ErrnoException) => error.code
        )
      )
      assert.strictEqual(problem, "ECONNREFUSED")
    })
  )

  it.scopedLive("is left to nobody who wants another address, and to one alone (R11)", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      yield* opened(port)
      assert.isUndefined(EarlySocket.take({ host: "::1", port }))
      assert.isUndefined(EarlySocket.take({ host: "127.0.0.1", port: port + 1 }))
      const early = EarlySocket.take({ host: "127.0.0.1", port })
      assert.isDefined(early)
      assert.isUndefined(EarlySocket.take({ host: "127.0.0.1", port }))
      yield* Effect.async<void>((resume) => void early?.server.close(() => resume(Effect.void)))
    })
  )

  it.scopedLive("leaves a port that somebody has to the server, which says so (R11)", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      yield* Effect.acquireRelease(
        Effect.async<net.Server>((resume) => {
          const server = net.createServer().listen(port, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.sync(() => void server.close())
      )
      yield* opened(port)
      const problem = yield* Effect.flip(Layer.build(node({ host: "127.0.0.1", port })))
      assert.include(problem.message, "another program listens there")
    })
  )
})

describe("a server that listens before it can answer", () => {
  it.scopedLive("keeps what it is asked until it can (R11)", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      const context = yield* Layer.build(node({ host: "127.0.0.1", port }))
      const answer = asked(port)
      yield* Effect.async<void>((resume) => {
        const socket = net.connect(port, "127.0.0.1", () => {
          socket.destroy()
          resume(Effect.void)
        })
      })
      yield* Layer.build(Layer.provide(hello, Layer.succeedContext(context)))
      assert.strictEqual(yield* Effect.promise(() => answer), '"hello"')
    })
  )
})

describe("an address to listen on", () => {
  it("is a host, a port or both (R11)", () => {
    assert.deepStrictEqual(parse("[::1]:80"), { host: "::1", port: 80 })
    assert.deepStrictEqual(parse("8080"), { host: "127.0.0.1", port: 8080 })
    assert.deepStrictEqual(parse("example.org"), { host: "example.org", port: 4747 })
    for (const text of ["", "a b", "1.2.3.4:99999", "[::1", "http://x", ":", "[]:1"])
      assert.isUndefined(parse(text), text)
  })
})
