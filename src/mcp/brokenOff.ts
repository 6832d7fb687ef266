import type { JSONRPCMessage, RequestId, Transport } from "@modelcontextprotocol/client"
import * as crypto from "node:crypto"

/** The failures of requests whose answers cannot come any more, where the library alone would wait on. */
export interface Losing {
  /** What the library takes for the answer of such a request. */
  readonly lost: (id: RequestId, message: string) => JSONRPCMessage
  /** Whether a request failed for that; nothing that a server says passes for it. */
  readonly isBrokenOff: (data: unknown) => boolean
}

export const losing = (): Losing => {
  const mark = crypto.randomUUID()
  return {
    lost: (id, message) => ({ jsonrpc: "2.0", id, error: { code: -32000, message, data: { brokenOff: mark } } }),
    isBrokenOff: (data) => typeof data === "object" && data !== null && "brokenOff" in data && data.brokenOff === mark
  }
}

/** A transport whose requests fail as soon as their answers cannot come any more. */
export interface Failing<T extends Transport> extends Losing {
  readonly transport: T
}

const idOf = (message: JSONRPCMessage | ReadonlyArray<JSONRPCMessage>): RequestId | undefined =>
  "method" in message && "id" in message ? message.id : undefined

/** Fails a request whose stream of events has ended without its answer and is not taken up again. */
export const failing = <T extends Transport>(transport: T, { isBrokenOff, lost } = losing()): Failing<T> => {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    const id = idOf(message)
    if (id === undefined) return send(message, options)
    return send(message, {
      ...options,
      onRequestStreamEnd: () => {
        options?.onRequestStreamEnd?.()
        transport.onmessage?.(lost(id, "its answer broke off"))
      }
    })
  }
  return { transport, isBrokenOff, lost }
}
