import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { clearImmediate, setImmediate } from "node:timers"

/** Children live in real time, also where a test lets the clock stand still. */
const clock = Clock.make()

export const inRealTime: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = Effect.withClock(clock)

export const pause = (duration: Duration.DurationInput): Effect.Effect<void> => inRealTime(Effect.sleep(duration))

const afterPoll = Effect.async<void>((resume) => {
  const handle = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(handle))
})

/** One whole turn of the event loop, in which all pending input is read. */
export const turn: Effect.Effect<void> = Effect.zipRight(afterPoll, afterPoll)

/** Milliseconds on a monotonic clock. */
export const now = (): number => Number(clock.unsafeCurrentTimeNanos() / 1_000_000n)

/** Runs `step` until it says true or `limit` milliseconds have passed; says whether it did. */
export const until = Effect.fnUntraced(function* <E, R>(step: Effect.Effect<boolean, E, R>, limit: number) {
  const deadline = now() + limit
  for (let delay = 1; ; delay = Math.min(delay * 2, 50)) {
    if (yield* step) return true
    if (now() >= deadline) return false
    yield* pause(delay)
  }
})
