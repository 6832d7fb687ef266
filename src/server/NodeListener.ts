import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as HttpServer from "@effect/platform/HttpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as http from "node:http"
import type { Duplex } from "node:stream"
import { errnoOf, systemReason } from "../system/errno.ts"
import { type Address, urlOf } from "./Address.ts"
import * as EarlySocket from "./EarlySocket.ts"
import { Listening } from "./Listening.ts"

/** The address cannot be listened on. */
export class NotListening extends Schema.TaggedError<NotListening>()("NotListening", {
  address: Schema.String,
  reason: Schema.String,
  /** The host is no address of this machine. */
  elsewhere: Schema.Boolean
}) {
  override get message() {
    const mend = this.elsewhere
      ? "Name an address of this machine, e.g. 127.0.0.1, or 0.0.0.0 for all of them."
      : "Choose another port; 0 takes any that is free."
    return `${this.address} cannot be listened on: ${this.reason}. ${mend}`
  }
}

const elsewhere: ReadonlySet<string | undefined> = new Set(["ENOTFOUND", "EAI_AGAIN", "EADDRNOTAVAIL"])

/** What is said of a request that is no HTTP, or comes too late or with too many headers, by the code of its error. */
const refusals: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "The headers are too large."],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ["413 Payload Too Large", "The extensions of the chunks are too large."],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "The request has not come in time."]
}

/** Answers what never becomes a request, as every other error is answered. */
const refuse = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy()
  const [status, message] = refusals[error.code ?? ""] ?? ["400 Bad Request", "The request is not HTTP."]
  const body = JSON.stringify({ _tag: "HttpApiDecodeError", issues: [], message })
  const head = ["Connection: close", "Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`]
  socket.end([`HTTP/1.1 ${status}`, ...head, "", body].join("\r\n"))
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
      // A request without a host is refused with the other foreign ones, which are told why.
      const requireHostHeader = false
      const server = held(
        http.createServer({ highWaterMark, requestTimeout: 60_000, headersTimeout: 15_000, requireHostHeader })
      )
      server.maxConnections = 2048
      server.on("clientError", refuse)
      const ended = Layer.scopedDiscard(Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections())))
      return Layer.provideMerge(ended, listener(server, address))
    })
  ).pipe(
    Layer.catchAll(({ cause }) =>
      Layer.fail(
        new NotListening({
          address: `${address.host}:${address.port}`,
          reason: systemReason(cause),
          elsewhere: elsewhere.has(errnoOf(cause))
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
