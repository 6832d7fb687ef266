import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client"

/** Changes what a transport brings, behind what changes it already, or takes it out. */
export const hearing = (
  transport: Transport,
  change: (message: JSONRPCMessage) => JSONRPCMessage | undefined
): void => {
  const before = Object.getOwnPropertyDescriptor(transport, "onmessage")
  let hear: Transport["onmessage"]
  Object.defineProperty(transport, "onmessage", {
    configurable: true,
    get: before?.get ?? (() => hear),
    set: (heard: Transport["onmessage"]) => {
      hear =
        heard === undefined
          ? undefined
          : (message, extra) => {
              const changed = change(message)
              if (changed !== undefined) heard(changed, extra)
            }
      before?.set?.call(transport, hear)
    }
  })
}
