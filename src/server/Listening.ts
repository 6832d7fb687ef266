import * as Context from "effect/Context"
import * as net from "node:net"
import { type Address, isLoopback } from "./Address.ts"

/** Where a server listens, and by which names it is asked. */
export class Listening extends Context.Tag("tollgate/server/Listening")<
  Listening,
  Address & {
    /** Host names, besides its addresses, that a browser may ask it by. */
    readonly names: ReadonlyArray<string>
    /** Where a person finds it. */
    readonly url: string
  }
>() {}

/**
 * Whether a `Host` header names this server: by an address or by one of its own names, never by a name that somebody else's
 * DNS could point here.
 */
export const isOwnHost = (header: string, { host, names }: Pick<Listening["Type"], "host" | "names">): boolean => {
  const [, bracketed, plain] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::\d{1,5})?$/i.exec(header) ?? []
  const name = (bracketed ?? plain ?? "").toLowerCase()
  if (net.isIP(name) !== 0) return isLoopback(name) || !isLoopback(host)
  return name === "localhost" || name === host.toLowerCase() || names.includes(name)
}
