import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { AddressInfo, Server, Socket } from "node:net"

/** This machine gives no port to listen on. */
export class LoopbackUnavailable extends Schema.TaggedError<LoopbackUnavailable>()("LoopbackUnavailable", {
  reason: Schema.String
}) {
  override get message() {
    return `no port of the loopback can be listened on: ${this.reason}`
  }
}

/** A server on a port of this machine. */
export interface Loopback {
  readonly port: number
  /** How many connections there were. */
  readonly connections: () => number
  /** Succeeds once a connection has ended. */
  readonly closed: Effect.Effect<void>
}

/** Listens on a free port of 127.0.0.1 until the scope ends. */
export const serve = Effect.fnUntraced(function* (server: Server) {
  const sockets = new Set<Socket>()
  let count = 0
  const closed = Effect.unsafeMakeLatch()
  server.on("connection", (socket: Socket) => {
    count++
    sockets.add(socket)
    socket.on("error", () => {})
    socket.once("close", () => closed.unsafeOpen())
  })
  yield* Effect.acquireRelease(
    Effect.async<void, LoopbackUnavailable>((resume) => {
      server.once("error", ({ message }) => resume(new LoopbackUnavailable({ reason: message })))
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        for (const socket of sockets) socket.destroy()
      })
  )
  const { port } = server.address() as AddressInfo
  return { port, connections: () => count, closed: closed.await } satisfies Loopback
})
