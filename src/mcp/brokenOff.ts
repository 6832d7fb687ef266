import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client"
import * as crypto from "node:crypto"

/** A transport whose requests fail as soon as their answers cannot come any more, where the library alone would wait on. */
export interface Failing<T extends Transport> {
  readonly transport: T
  /** Whether a request failed for that; nothing that a server says passes for it. */
  readonly isBrokenOff: (data: unknown) => boolean
}

const idOf = (message: JSONRPCMessage | ReadonlyArray<JSONRPCMessage>): string | number | undefined =>
  "method" in message && "id" in message ? message.id : undefined

/** Fails a request whose stream of events has ended without its answer and is not taken up again. */
export const failing = <T extends Transport>(transport: T): Failing<T> => {
  const mark = crypto.randomUUID()
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    const id = idOf(message)
    if (id === undefined) return send(message, options)
    const error = { code: -32000, message: "its answer broke off", data: { brokenOff: mark } }
    return send(message, {
      ...options,
      onRequestStreamEnd: () => {
        options?.onRequestStreamEnd?.()
        transport.onmessage?.({ jsonrpc: "2.0", id, error })
      }
    })
  }
  return {
    transport,
    isBrokenOff: (data) => typeof data === "object" && data !== null && "brokenOff" in data && data.brokenOff === mark
  }
}
