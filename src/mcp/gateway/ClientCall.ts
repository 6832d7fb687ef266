import type { McpRequestContext, Server, ServerContext } from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"

/** A call as its client makes it. */
export interface ClientCall {
  readonly server: Server
  readonly era: McpRequestContext["era"]
  readonly ctx: ServerContext
  readonly by: string
  readonly tool: string
  readonly parameters: unknown
}

/** What the client of a request can be asked for. */
export const capabilitiesOf = (server: Server, ctx: ServerContext, key: string): Readonly<Record<string, unknown>> => {
  const envelope: unknown = ctx.mcpReq.envelope
  const own = Predicate.isReadonlyRecord(envelope) ? envelope[key] : undefined
  const capabilities: unknown = Predicate.isReadonlyRecord(own) ? own : server.getClientCapabilities()
  return Predicate.isReadonlyRecord(capabilities) ? capabilities : {}
}

/** Whether a client can show a form to its user. */
export const canElicit = ({ elicitation }: Readonly<Record<string, unknown>>): boolean =>
  Predicate.isReadonlyRecord(elicitation) &&
  (elicitation["form"] !== undefined || Object.keys(elicitation).length === 0)

const signalOf = ({ ctx, era }: ClientCall): AbortSignal | undefined =>
  era === "legacy" ? ctx.http?.req?.signal : undefined

/**
 * Whether nothing tells that the connection of a call is lost but the connection itself. In the earlier revisions that takes nothing back,
 * and the library says nothing of it (2025-11-25, Transports, "Sending Messages to the Server"); in the later ones it interrupts the call.
 */
export const mayBeLost = (call: ClientCall): boolean => signalOf(call) !== undefined

/** Returns once nobody would hear the answer of a request whose connection may be lost. */
export const unheard = (call: ClientCall): Effect.Effect<void> => {
  const signal = signalOf(call)
  if (signal === undefined) return Effect.never
  return Effect.async<void>((resume) => {
    const hear = () => resume(Effect.void)
    if (signal.aborted) return hear()
    signal.addEventListener("abort", hear, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", hear))
  })
}
