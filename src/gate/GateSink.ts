import * as Effect from "effect/Effect"
import type { ToolSink } from "../tool/ToolCall.ts"
import type { ToolEvent } from "../tool/ToolEvent.ts"
import type { CallSink } from "./CallRequest.ts"

/** What a call may tell by itself; all else of it only the gate tells, and what is of no call nobody can tell by a call. */
const free: Readonly<Record<ToolEvent["_tag"], boolean>> = {
  ApprovalRequested: false,
  ApprovalMoved: false,
  ApprovalResolved: false,
  ReviewerFailed: false,
  ToolCallStarted: false,
  ClientCallRequested: true,
  ToolCallRetried: true,
  ToolDefectCaught: true,
  ToolStragglerEnded: true,
  ToolOutput: true,
  ToolProgressed: true,
  CheckpointSaved: true,
  FileChanged: true,
  TodosChanged: true,
  HookIntervened: true,
  McpServerChanged: true,
  Notified: true
}

const isFree = ({ _tag }: { readonly _tag: string }): boolean =>
  Object.hasOwn(free, _tag) && free[_tag as keyof typeof free]
const isOfGate = ({ _tag }: ToolEvent): boolean => !free[_tag]

/** The sink that the stack of a call gets; what the gate tells does not need it, so that there it comes from somebody else. */
export const forStack = (sink: CallSink): CallSink => ({
  emit: (event) => (isFree(event) ? sink.emit(event) : Effect.void),
  commit: (event) => (isFree(event) ? sink.commit(event) : Effect.void)
})

/**
 * The sink that the gate tells by: whatever a middleware has put in the place of the call's own, the log knows first, and what
 * listens there hears it afterwards.
 */
export const forGate = (sink: ToolSink, listening: ToolSink): ToolSink => ({
  emit: (event) => (isOfGate(event) ? Effect.zipRight(sink.emit(event), listening.emit(event)) : listening.emit(event)),
  commit: (event) =>
    isOfGate(event) ? Effect.zipRight(sink.commit(event), listening.commit(event)) : listening.commit(event)
})
