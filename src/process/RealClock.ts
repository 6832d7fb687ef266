import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** Children live in real time, also where a test lets the clock stand still. */
const clock = Clock.make()

export const pause = (duration: Duration.DurationInput): Effect.Effect<void> =>
  Effect.withClock(Effect.sleep(duration), clock)

/** Milliseconds on a monotonic clock. */
export const now = (): number => Number(clock.unsafeCurrentTimeNanos() / 1_000_000n)

/** Runs `step` until it says true or `limit` milliseconds have passed; says whether it did. */
export const until = Effect.fnUntraced(function* (step: Effect.Effect<boolean>, limit: number) {
  const deadline = now() + limit
  for (let delay = 1; ; delay = Math.min(delay * 2, 50)) {
    if (yield* step) return true
    if (now() >= deadline) return false
    yield* pause(delay)
  }
})
