import * as Effect from "effect/Effect"
import type { Middleware } from "../middleware/Middleware.ts"
import { named } from "../middleware/Step.ts"
import { silent, type ToolCall } from "./ToolCall.ts"
import { ToolCallStarted, trusted } from "./ToolEvent.ts"

/**
 * Says that the call has passed the gate. For a tool that is not read-only the event is durable before the handler runs,
 * so that after a crash nobody mistakes a call that may have happened for one that has not. Where nobody watches, nothing is said.
 */
export const announce: Middleware<ToolCall> = named<ToolCall>("announcement", "", (call, next) => {
  if (call.sink === silent) return next(call)
  const started = new ToolCallStarted({ callId: call.callId, tool: call.name, readOnly: call.tool.readOnly }, trusted)
  return Effect.flatMap(call.tool.readOnly ? call.sink.emit(started) : call.sink.commit(started), () => next(call))
})
