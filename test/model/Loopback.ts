import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Queue from "effect/Queue"
import * as http from "node:http"
import * as https from "node:https"
import type { AddressInfo } from "node:net"

/** One request as the server saw it, and the means to answer it. */
export interface Exchange {
  readonly number: number
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  /** The body as JSON. */
  readonly body: unknown
  /** The client's port: the same for requests over one connection. */
  readonly port: number
  readonly head: (status: number, headers?: Record<string, string>) => Effect.Effect<void>
  /** Resolves when the bytes were handed to the system. */
  readonly write: (bytes: string | Uint8Array) => Effect.Effect<void>
  readonly end: (text?: string) => Effect.Effect<void>
  /** Cuts the connection. */
  readonly destroy: Effect.Effect<void>
  /** Waits until the exchange is over: true if the client left before it was complete. */
  readonly aborted: Effect.Effect<boolean>
}

export type Handler = (exchange: Exchange) => Effect.Effect<void>

export interface Loopback {
  readonly url: string
  readonly port: number
  readonly seen: ReadonlyArray<Exchange>
  /** Takes the next request that arrived. */
  readonly next: Effect.Effect<Exchange>
}

const read = (request: http.IncomingMessage): Effect.Effect<string> =>
  Effect.async((resume) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => resume(Effect.succeed(Buffer.concat(chunks).toString())))
  })

/** A server on a free port of 127.0.0.1, over TLS where it has a key; it and everything it still does end with the scope. */
export const serve = (handler: Handler, tls?: { readonly key: string; readonly cert: string }) =>
  Effect.gen(function* () {
    const run = yield* FiberSet.makeRuntime()
    const arrivals = yield* Queue.unbounded<Exchange>()
    const seen: Array<Exchange> = []
    const accept = (request: http.IncomingMessage, response: http.ServerResponse) =>
      Effect.gen(function* () {
        const over = yield* Deferred.make<boolean>()
        response.on("close", () => Deferred.unsafeDone(over, Effect.succeed(!response.writableFinished)))
        const text = yield* read(request)
        const exchange: Exchange = {
          number: seen.length + 1,
          path: request.url ?? "",
          headers: request.headers,
          body: text === "" ? undefined : JSON.parse(text),
          port: request.socket.remotePort ?? 0,
          head: (status, headers = {}) => Effect.sync(() => void response.writeHead(status, headers).flushHeaders()),
          write: (bytes) => Effect.async((resume) => void response.write(bytes, () => resume(Effect.void))),
          end: (text = "") => Effect.sync(() => void response.end(text)),
          destroy: Effect.sync(() => void response.destroy()),
          aborted: Deferred.await(over)
        }
        seen.push(exchange)
        yield* Queue.offer(arrivals, exchange)
        yield* handler(exchange)
      })
    const answered = (request: http.IncomingMessage, response: http.ServerResponse) =>
      void run(accept(request, response))
    const server = tls === undefined ? http.createServer(answered) : https.createServer(tls, answered)
    yield* Effect.acquireRelease(
      Effect.async<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.async<void>((resume) => {
          server.closeAllConnections()
          server.close(() => resume(Effect.void))
        })
    )
    const { port } = server.address() as AddressInfo
    return {
      url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
      port,
      seen,
      next: Queue.take(arrivals)
    } satisfies Loopback
  })

export const event = (data: unknown, name?: string): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`

/** Answers 200 with these events, one write each, and ends. */
export const stream =
  (...events: ReadonlyArray<unknown>): Handler =>
  (exchange) =>
    Effect.gen(function* () {
      yield* exchange.head(200, { "content-type": "text/event-stream" })
      for (const data of events) yield* exchange.write(event(data))
      yield* exchange.end()
    })

export const answer =
  (status: number, body: string, headers: Record<string, string> = { "content-type": "application/json" }): Handler =>
  (exchange) =>
    Effect.zipRight(exchange.head(status, headers), exchange.end(body))
