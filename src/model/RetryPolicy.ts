import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as ScheduleDecision from "effect/ScheduleDecision"
import * as ScheduleIntervals from "effect/ScheduleIntervals"
import { ask } from "./ask.ts"
import type { ModelRequest, ModelService } from "./Model.ts"
import type { ModelError } from "./ModelError.ts"
import { type Push, stream, unnumbered } from "./Push.ts"
import { finiteNumber, timeSpan, wholeNumber } from "../system/wholeNumber.ts"

/** When to ask a model again. */
export interface RetryPolicy {
  /** Requests in all, the first one included. */
  readonly maxAttempts: number
  readonly initialDelay: Duration.DurationInput
  readonly multiplier: number
  /** The longest wait. A server that asks for more is not asked again: its error is reported at once. */
  readonly maxDelay: Duration.DurationInput
}

const defaultRetryPolicy: RetryPolicy = {
  maxAttempts: 4,
  initialDelay: "500 millis",
  multiplier: 2,
  maxDelay: "60 seconds"
}

const askedFor = (error: ModelError): number => (error._tag === "ModelOverloaded" ? (error.retryAfterMillis ?? 0) : 0)

/** Exponential with jitter of a fifth, never sooner than the server asked. */
const scheduleOf = (policy: RetryPolicy): Schedule.Schedule<unknown, ModelError> => {
  const initialDelay = timeSpan("retried: initialDelay", policy.initialDelay)
  const maxDelay = timeSpan("retried: maxDelay", policy.maxDelay)
  return Schedule.exponential(initialDelay, finiteNumber("retried: multiplier", policy.multiplier)).pipe(
    Schedule.jittered,
    Schedule.zipRight(Schedule.identity<ModelError>()),
    Schedule.modifyDelay((error, delay) => Duration.max(Duration.min(delay, maxDelay), askedFor(error))),
    Schedule.whileInput((error: ModelError) => error.retryable && askedFor(error) <= Duration.toMillis(maxDelay)),
    Schedule.intersect(Schedule.recurs(wholeNumber("retried: maxAttempts", policy.maxAttempts) - 1))
  )
}

/**
 * Asks again after a retryable failure, also when half of an answer was streamed: `AttemptFailed` then says that it is
 * void, before the wait. An answer without its end was cut off, and is asked for again. Interruption ends the stream, and so
 * does a defect of the model, as `ModelCrashed`.
 */
export const retried = (policy: Partial<RetryPolicy> = {}) => {
  const schedule = scheduleOf({ ...defaultRetryPolicy, ...policy })
  return (model: ModelService): ModelService => {
    const attempt =
      (request: ModelRequest, state: unknown): Push =>
      (tell) =>
        Effect.catchAll(ask(model, request, tell), (error) =>
          error._tag === "Refused"
            ? Effect.fail(error)
            : Effect.gen(function* () {
                const now = yield* Clock.currentTimeMillis
                const [following, , decision] = yield* schedule.step(now, error, state)
                if (ScheduleDecision.isDone(decision)) return yield* error
                const delayMillis = Math.max(0, Math.ceil(ScheduleIntervals.start(decision.intervals) - now))
                yield* tell({ _tag: "AttemptFailed", attempt: unnumbered, reason: error.message, delayMillis })
                yield* Effect.sleep(delayMillis)
                return yield* attempt(request, following)(tell)
              })
        )
    return { ...model, stream: (request) => stream(attempt(request, schedule.initial)) }
  }
}
