import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"
import type { Middleware } from "../middleware/Middleware.ts"
import { named } from "../middleware/Step.ts"
import { executeTool, toolContent } from "../telemetry/GenAi.ts"
import { heard, type ToolCall } from "./ToolCall.ts"
import type { ToolEvent } from "./ToolEvent.ts"
import { ToolResult } from "./ToolResult.ts"

export interface TelemetryOptions {
  /** Whether parameters and results go into the span; no where absent. */
  readonly content?: boolean
  /** Applied to content before it leaves. */
  readonly redact?: (text: string) => string
}

/** Events and characters that one span holds at most. */
const maxEvents = 128
const maxContent = 8 * 1024

const tagOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : "_OTHER"

const errorType = (cause: Cause.Cause<unknown>): string =>
  Option.match(Cause.failureOption(cause), {
    onSome: tagOf,
    onNone: () => (Cause.isInterrupted(cause) ? "interrupted" : "crashed")
  })

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

/**
 * One `execute_tool` span around every call, with the events of the call in it (T11). It costs more than all other steps:
 * put it in the stack only where a tracer listens.
 */
export const telemetry = ({
  content = false,
  redact = (text) => text
}: TelemetryOptions = {}): Middleware<ToolCall> => {
  const shown = (text: string) => redact(text).slice(0, maxContent)

  const annotate = (span: Tracer.Span, attributes: Readonly<Record<string, unknown>>) => {
    for (const [key, value] of Object.entries(attributes)) span.attribute(key, value)
  }
  const ended = (span: Tracer.Span, exit: Exit.Exit<unknown, unknown>) =>
    Effect.sync(() => {
      if (Exit.isFailure(exit)) span.attribute("error.type", errorType(exit.cause))
      else if (content && exit.value instanceof ToolResult) annotate(span, toolContent.result(shown(exit.value.text)))
    })
  return named<ToolCall>("telemetry", content ? "with content" : "", (call, next) => {
    const { attributes, kind, name } = executeTool({
      tool: call.name,
      description: call.tool.description,
      callId: call.callId,
      conversation: call.sessionId
    })
    return Effect.useSpan(
      name,
      {
        kind,
        attributes: {
          ...attributes,
          "tollgate.worker.path": call.workerPath.join("/"),
          "tollgate.tool.read_only": call.tool.readOnly,
          "tollgate.tool.risk": call.tool.risk
        },
        captureStackTrace: false
      },
      (span) => {
        let events = 0
        if (content) annotate(span, toolContent.arguments(shown(JSON.stringify(call.rawParams) ?? "")))
        const hear = (event: ToolEvent) =>
          ++events > maxEvents
            ? Effect.void
            : Effect.map(Clock.currentTimeNanos, (now) => span.event(event._tag, now, detail(event)))
        return Effect.onExit(
          Effect.withParentSpan(
            Effect.suspend(() => next({ ...call, sink: heard(call.sink, hear) })),
            span
          ),
          (exit) => ended(span, exit)
        )
      }
    )
  })
}
