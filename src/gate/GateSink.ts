import * as Effect from "effect/Effect"
import type { ToolSink } from "../tool/ToolCall.ts"
import type { ToolEvent } from "../tool/ToolEvent.ts"
import type { CallEvent } from "./CallEvent.ts"
import type { CallSink } from "./CallRequest.ts"

/** What only the gate tells of a call. */
const own: ReadonlySet<CallEvent["_tag"]> = new Set<ToolEvent["_tag"]>([
  "ApprovalRequested",
  "ApprovalMoved",
  "ApprovalResolved",
  "ReviewerFailed",
  "ToolCallStarted"
])

/** The sink that the stack of a call gets; what the gate tells does not need it, so that there it comes from somebody else. */
export const forStack = (sink: CallSink): CallSink => ({
  emit: (event) => (own.has(event._tag) ? Effect.void : sink.emit(event)),
  commit: (event) => (own.has(event._tag) ? Effect.void : sink.commit(event))
})

/**
 * The sink that the gate tells by: whatever a middleware has put in the place of the call's own, the log knows first, and what
 * listens there hears it afterwards.
 */
export const forGate = (sink: ToolSink, listening: ToolSink): ToolSink => ({
  emit: (event) =>
    own.has(event._tag) ? Effect.zipRight(sink.emit(event), listening.emit(event)) : listening.emit(event),
  commit: (event) =>
    own.has(event._tag) ? Effect.zipRight(sink.commit(event), listening.commit(event)) : listening.commit(event)
})
