import type { ModelAnswered } from "../agent/AgentEvent.ts"
import type { FunctionCall } from "../conversation/Message.ts"
import type { Envelope } from "./Envelope.ts"

/** The calls that an answer of a model asks for. */
export const callsOf = (answered: ModelAnswered | undefined): ReadonlyArray<FunctionCall> => {
  const message = answered?.message.message
  return message?.role === "assistant" ? (message.tool_calls ?? []) : []
}

/** Calls that no model has asked for. */
export const manual = (events: ReadonlyArray<Envelope>): ReadonlyArray<FunctionCall> =>
  events.flatMap(({ event }) =>
    event._tag === "ToolCallRequested"
      ? [{ id: event.callId, type: "function" as const, function: { name: event.tool, arguments: event.arguments } }]
      : []
  )
