import * as net from "node:net"

/** An address to listen on. */
export interface Address {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
}

/** Where a server listens if nothing else is said: on this machine alone. */
export const usual: Address = { host: "127.0.0.1", port: 4747 }

const loopback: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "::1"])

/** Whether only this machine reaches an address. */
export const isLoopback = (host: string): boolean => loopback.has(host) || /^127\.\d+\.\d+\.\d+$/.test(host)

/** `HOST:PORT`, `HOST`, `PORT`, or `[IPV6]:PORT`; undefined where it is none of them. */
export const parse = (text: string): Address | undefined => {
  const found = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*))?(?::?(\d{1,5}))?$/.exec(text)
  if (found === null || text === "") return undefined
  const [, bracketed, plain, digits] = found
  const isPort = plain !== undefined && /^\d{1,5}$/.test(plain) && digits === undefined
  const host = isPort ? usual.host : (bracketed ?? (plain === "" ? undefined : plain) ?? usual.host)
  const port = isPort ? Number(plain) : digits === undefined ? usual.port : Number(digits)
  const isHost = net.isIP(host) !== 0 || /^[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?$/i.test(host)
  return !isHost || port > 65_535 ? undefined : { host, port }
}

/** An address as a URL has it. */
export const urlOf = ({ host, port }: Address): string => {
  const reached = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host
  return `http://${reached.includes(":") ? `[${reached}]` : reached}:${port}`
}
