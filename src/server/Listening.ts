import * as Context from "effect/Context"
import * as Either from "effect/Either"
import * as net from "node:net"

/** An address to listen on. */
export interface Address {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
}

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

/** Where a server listens if nothing else is said: on this machine alone. */
export const usual: Address = { host: "127.0.0.1", port: 4747 }

const loopback: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "::1"])

/** Whether only this machine reaches an address. */
export const isLoopback = (host: string): boolean => loopback.has(host) || /^127\.\d+\.\d+\.\d+$/.test(host)

/** `HOST:PORT`, `HOST`, `PORT`, or `[IPV6]:PORT`. */
export const parse = (text: string): Either.Either<Address, string> => {
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*))?(?::?(\d{1,5}))?$/.exec(text) ?? []
  const isPort = plain !== undefined && /^\d{1,5}$/.test(plain) && digits === undefined
  const host = isPort ? usual.host : (bracketed ?? (plain === "" ? undefined : plain) ?? usual.host)
  const port = isPort ? Number(plain) : digits === undefined ? usual.port : Number(digits)
  const isHost = net.isIP(host) !== 0 || /^[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?$/i.test(host)
  return text === "" || !isHost || port > 65_535
    ? Either.left("expected HOST:PORT, HOST or PORT, e.g. 127.0.0.1:4747, 0.0.0.0 or [::1]:8080")
    : Either.right({ host, port })
}

/** An address as a URL has it. */
export const urlOf = ({ host, port }: Address): string => {
  const reached = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host
  return `http://${reached.includes(":") ? `[${reached}]` : reached}:${port}`
}

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
