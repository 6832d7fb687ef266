import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"

/** How long no key may follow one that is an answer by itself: the letters of a word come faster, also of who types slowly. */
export const alone = Duration.millis(600)

/** Whether nothing comes for so long; what comes is taken. */
export const isQuiet = (queue: Queue.Dequeue<unknown>, time: Duration.DurationInput): Effect.Effect<boolean> =>
  Effect.map(Effect.timeoutOption(Queue.take(queue), time), Option.isNone)

/** Reads until the input pauses for the given time. */
export const untilQuiet = (queue: Queue.Dequeue<unknown>, time: Duration.DurationInput): Effect.Effect<void> =>
  Effect.asVoid(Effect.repeat(isQuiet(queue, time), { until: (quiet) => quiet }))
