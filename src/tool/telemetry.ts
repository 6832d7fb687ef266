import * as Effect from "effect/Effect"
import type { Middleware } from "../middleware/Middleware.ts"
import { named } from "../middleware/Step.ts"
import { executeTool, type GenAiSpan, toolCalled, toolContent } from "../telemetry/GenAi.ts"
import { maxContent } from "../telemetry/Outgoing.ts"
import { memo } from "../system/memo.ts"
import { traced } from "../telemetry/traced.ts"
import { heard, type ToolCall } from "./ToolCall.ts"
import type { ToolEvent } from "./ToolEvent.ts"
import { ToolResult } from "./ToolResult.ts"

export interface TelemetryOptions {
  /** Whether redacted parameters, results and error texts go into the span. Default: false. */
  readonly content?: boolean
}

/** What an event says of itself without any content. */
const detail = (event: ToolEvent): Record<string, unknown> => {
  switch (event._tag) {
    case "ApprovalRequested":
      return { id: event.request.id, risk: event.request.risk, ahead: event.ahead }
    case "ApprovalResolved":
      return { id: event.approvalId, outcome: event.outcome, by: event.by, waitedMillis: event.waitedMillis }
    case "ToolCallRetried":
      return { attempt: event.attempt, delayMillis: event.delayMillis }
    case "ToolOutput":
      return { channel: event.channel, characters: event.text.length }
    case "ToolProgressed":
      return {
        ...(event.current !== undefined && { current: event.current }),
        ...(event.total && { total: event.total })
      }
    case "FileChanged":
      return { change: event.change, size: event.size }
    case "HookIntervened":
      return { hook: event.hook, action: event.action }
    case "Notified":
      return { level: event.level }
    default:
      return {}
  }
}

/** What is the same in the spans of all calls of a tool. */
const spanOf = memo(new WeakMap<ToolCall["tool"], GenAiSpan>(), ({ description, name, readOnly, risk }) => {
  const span = executeTool({ tool: name, description })
  return {
    ...span,
    attributes: { ...span.attributes, "tollgate.tool.read_only": readOnly, "tollgate.tool.risk": risk }
  }
})

/**
 * One `execute_tool` span around every call, with the events of the call in it. It costs more than all other steps:
 * put it in the stack only where a tracer listens.
 */
export const telemetry = ({ content = false }: TelemetryOptions = {}): Middleware<ToolCall> =>
  named<ToolCall>("telemetry", content ? "with content" : "", (call, next) => {
    const { attributes: fixed, kind, name } = spanOf(call.tool)
    const attributes = {
      ...toolCalled({ callId: call.callId, conversation: call.sessionId }),
      "tollgate.worker.path": call.workerPath.join("/")
    }
    return traced({ name, kind, fixed, attributes, content }, (span) => {
      const hear = (event: ToolEvent): undefined => {
        span.event(event._tag, detail(event))
        if (content && event._tag === "ToolCallStarted" && event.parameters !== undefined) {
          span.annotate(toolContent.arguments(event.parameters), maxContent)
        }
      }
      const running = next({ ...call, sink: heard(call.sink, hear) })
      if (!content) return running
      span.annotate(toolContent.arguments(call.rawParams), maxContent)
      return Effect.tap(running, (result) =>
        Effect.sync(() => {
          if (result instanceof ToolResult) span.annotate(toolContent.result(result.text), maxContent)
        })
      )
    })
  })
