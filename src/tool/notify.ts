import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { logCrash } from "../redaction/logCrash.ts"
import { endOf } from "../middleware/endOf.ts"
import type { Middleware } from "../middleware/Middleware.ts"
import { named } from "../middleware/Step.ts"
import type { NewNotice, Notifications } from "./Notifications.ts"
import type { ToolCall } from "./ToolCall.ts"
import { Notified, trusted } from "./ToolEvent.ts"
import { duration } from "../text/duration.ts"

/** The notification about an ended call, if any. */
export type NoticeRule = (
  call: ToolCall,
  exit: Exit.Exit<unknown, unknown>,
  took: Duration.Duration
) => NewNotice | undefined

/** Failures that concern the person, not only the model. */
const worthTelling: ReadonlySet<string> = new Set(["RetriesExhausted", "ToolTimedOut", "HookFailed", "LoopDetected"])

const longRunning = Duration.seconds(30)
const maxMessage = 300

const messageOf = (error: unknown): { readonly _tag: string; readonly message: string } | undefined =>
  typeof error === "object" && error !== null && "_tag" in error && "message" in error
    ? { _tag: String(error._tag), message: String(error.message).slice(0, maxMessage) }
    : undefined

/** Notifies of bugs, of tools that gave up or timed out, and of the end of calls that took more than 30 seconds. */
const defaultRule: NoticeRule = (call, exit, took) => {
  const title = call.tool.label
  if (Exit.isSuccess(exit)) {
    return Duration.greaterThan(took, longRunning)
      ? { level: "success", title, message: `finished after ${duration(Duration.toMillis(took))}` }
      : undefined
  }
  const end = endOf(exit.cause)
  if (end === "interrupted") return undefined
  if (end === "crashed") return { level: "error", title, message: `tool ${call.name} crashed` }
  const failure = messageOf(Option.getOrUndefined(Cause.failureOption(exit.cause)))
  return failure !== undefined && worthTelling.has(failure._tag)
    ? { level: "warning", title, message: failure.message }
    : undefined
}

/**
 * Shows and records a notice if the rule finds the end of a call worth one. The rule does not see interrupted calls. A
 * rule that crashes gives no notice and changes nothing.
 */
export const notify = (notifications: Notifications["Type"], rule: NoticeRule = defaultRule): Middleware<ToolCall> => {
  const told = (call: ToolCall, exit: Exit.Exit<unknown, unknown>) =>
    Effect.clockWith((clock) => {
      let notice: NewNotice | undefined
      try {
        notice = rule(call, exit, Duration.millis(clock.unsafeCurrentTimeMillis() - call.startedAt))
      } catch (defect) {
        return logCrash(`The rule for notices crashed on ${call.name}`, Cause.die(defect), Effect.logWarning)
      }
      if (notice === undefined) return Effect.void
      const { level, message, title } = notice
      const durationMillis = Duration.toMillis(notice.duration ?? 0)
      return Effect.zipRight(
        notifications.show(notice),
        call.sink.emit(new Notified({ level, title, message, durationMillis }, trusted))
      )
    })
  return named<ToolCall>("notifications", rule === defaultRule ? "" : "own rule", (call, next) =>
    Effect.matchCauseEffect(
      Effect.suspend(() => next(call)),
      {
        onFailure: (cause) => Effect.zipRight(told(call, Exit.failCause(cause)), Effect.failCause(cause)),
        onSuccess: (result) => Effect.as(told(call, Exit.succeed(result)), result)
      }
    )
  )
}
