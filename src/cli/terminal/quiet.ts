import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"

/** How long no key may come before a question counts any: what was typed at something else is no answer. */
export const settling = Duration.millis(300)

/** How long the pause must be after typed words before one approves. */
export const pausing = Duration.seconds(1)

/** How long no key may follow one that is an answer by itself: the letters of a word come faster, also of who types slowly. */
export const alone = Duration.millis(600)

/** Whether nothing comes for so long; what comes is taken. */
export const isQuiet = (queue: Queue.Dequeue<unknown>, time: Duration.DurationInput): Effect.Effect<boolean> =>
  Effect.map(Effect.timeoutOption(Queue.take(queue), time), Option.isNone)

/** Reads until the input pauses for the given time. */
export const untilQuiet = (queue: Queue.Dequeue<unknown>, time: Duration.DurationInput): Effect.Effect<void> =>
  Effect.asVoid(Effect.repeat(isQuiet(queue, time), { until: (quiet) => quiet }))
