// @effect-diagnostics newPromise:off - a proxy of sockets
import { Effect } from "effect"
import * as net from "node:net"
import type { AddressInfo } from "node:net"

/** A way to a port on which every connection can be cut, until the scope ends. */
export const cutting = (port: number) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(
        () =>
          new Promise<{ readonly server: net.Server; readonly sockets: Set<net.Socket> }>((resolve) => {
            const sockets = new Set<net.Socket>()
            const server = net.createServer((inner) => {
              const outer = net.connect(port, "127.0.0.1")
              for (const [socket, other] of [
                [inner, outer],
                [outer, inner]
              ] as const) {
                sockets.add(socket)
                socket.on("error", () => {})
                socket.on("close", () => {
                  sockets.delete(socket)
                  other.destroy()
                })
                socket.pipe(other)
              }
            })
            server.listen(0, "127.0.0.1", () => resolve({ server, sockets }))
          })
      ),
      ({ server, sockets }) =>
        Effect.sync(() => {
          for (const socket of sockets) socket.destroy()
          server.close()
        })
    ),
    ({ server, sockets }) => ({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      cut: Effect.sync(() => {
        for (const socket of sockets) socket.destroy()
      })
    })
  )
