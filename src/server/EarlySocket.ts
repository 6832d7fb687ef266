import * as net from "node:net"
import type { Address } from "./Address.ts"

/** Connections that wait for a program that still loads; others are refused. */
const maxWaiting = 256

/** Listens before the program has loaded, and keeps who connects. */
export interface EarlySocket {
  readonly address: Address
  readonly server: net.Server
  readonly waiting: ReadonlyArray<net.Socket>
}

/** The launcher and the program are two bundles in one process, each with this module. */
const place: unique symbol = Symbol.for("tollgate/server/EarlySocket")
const shared = globalThis as { [place]?: EarlySocket | undefined }

/** Listens, and goes on; an address that is taken is left for the program to tell. */
export const open = (address: Address, then: () => void): void => {
  const waiting: Array<net.Socket> = []
  const server = net.createServer({ pauseOnConnect: true }, (socket) => waiting.push(socket.on("error", () => {})))
  server.maxConnections = maxWaiting
  server.once("error", then)
  server.listen(address, () => {
    server.off("error", then).unref()
    shared[place] = { address, server, waiting }
    then()
  })
}

/** What listens at that address already, once: whoever takes it has its connections from then on. */
export const take = ({ host, port }: Address): EarlySocket | undefined => {
  const early = shared[place]
  if (early === undefined || early.address.host !== host || early.address.port !== port) return undefined
  shared[place] = undefined
  return early
}
