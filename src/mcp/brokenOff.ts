import type { JSONRPCMessage, RequestId, Transport } from "@modelcontextprotocol/client"
import * as crypto from "node:crypto"
import { hearing } from "./hearing.ts"

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

/** The request that a message takes back. */
const takenBack = (message: JSONRPCMessage | ReadonlyArray<JSONRPCMessage>): unknown =>
  "method" in message && message.method === "notifications/cancelled" ? message.params?.["requestId"] : undefined

/**
 * Fails a request whose stream of events has ended without its answer and is not taken up again. Of one that is taken back nothing
 * more is read: in the earlier revisions the library alone would hold its connection for as long as the server does.
 */
export const failing = <T extends Transport>(transport: T, { isBrokenOff, lost } = losing()): Failing<T> => {
  const open = new Map<unknown, AbortController>()
  hearing(transport, (message) => {
    if (!("method" in message)) open.delete(Number(message.id))
    return message
  })
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    const id = idOf(message)
    if (id === undefined) {
      const taken = takenBack(message)
      const told = send(message, options)
      open.get(taken)?.abort()
      open.delete(taken)
      return told
    }
    const over = new AbortController()
    open.set(id, over)
    return send(message, {
      ...options,
      requestSignal: options?.requestSignal ?? over.signal,
      onRequestStreamEnd: () => {
        open.delete(id)
        options?.onRequestStreamEnd?.()
        transport.onmessage?.(lost(id, "its answer broke off"))
      }
    }).catch((refused: unknown) => {
      open.delete(id)
      throw refused
    })
  }
  return { transport, isBrokenOff, lost }
}
