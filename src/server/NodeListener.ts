import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as HttpServer from "@effect/platform/HttpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as http from "node:http"
import { systemReason } from "../system/errno.ts"
import { type Address, urlOf } from "./Address.ts"
import * as EarlySocket from "./EarlySocket.ts"
import { Listening } from "./Listening.ts"

/** The address cannot be listened on. */
export class NotListening extends Schema.TaggedError<NotListening>()("NotListening", {
  address: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.address} cannot be listened on: ${this.reason}. Choose another port; 0 takes any that is free.`
  }
}

/** Keeps what is asked before there is anything to answer it. */
const held = (server: http.Server): http.Server => {
  for (const event of ["request", "upgrade"] as const) {
    const waiting: Array<ReadonlyArray<unknown>> = []
    const keep = (...asked: ReadonlyArray<unknown>) => void waiting.push(asked)
    const release = (name: string | symbol) => {
      if (name !== event) return
      server.off(event, keep).off("newListener", release)
      queueMicrotask(() => waiting.forEach((asked) => server.emit(event, ...asked)))
    }
    server.on(event, keep).on("newListener", release)
  }
  return server
}

/** Bytes that a response keeps for a reader that does not take them, before it waits: a stalled one holds no more. */
const highWaterMark = 8 * 1024

/** Listens, at a socket that does so already where there is one; who has connected to that is served first. */
const listener = (server: http.Server, address: Address) => {
  const early = EarlySocket.take(address)
  // Node listens at what a server has that listens already, where an address could stand.
  const at = (early?.server as object | undefined) ?? address
  return NodeHttpServer.layer(() => server, at).pipe(
    Layer.tap(() =>
      Effect.sync(() => {
        server.ref()
        for (const socket of early?.waiting ?? []) {
          server.emit("connection", socket)
          socket.resume()
        }
      })
    )
  )
}

/** Node's server, with all of its connections closed at the end. */
export const node = (address: Address) =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const server = held(http.createServer({ highWaterMark, requestTimeout: 60_000, headersTimeout: 15_000 }))
      server.maxConnections = 2048
      const ended = Layer.scopedDiscard(Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections())))
      return Layer.provideMerge(ended, listener(server, address))
    })
  ).pipe(
    Layer.catchAll(({ cause }) =>
      Layer.fail(
        new NotListening({
          address: `${address.host}:${address.port}`,
          reason: systemReason(cause)
        })
      )
    )
  )

/** Where it listens in the end, and by which names it is asked. */
export const listening = (names: ReadonlyArray<string>, wanted: Address) =>
  Layer.effect(
    Listening,
    Effect.map(HttpServer.HttpServer, ({ address }) => {
      const port = address._tag === "TcpAddress" ? address.port : wanted.port
      const at = { host: wanted.host, port }
      return { ...at, names: names.map((name) => name.toLowerCase()), url: urlOf(at) }
    })
  )
