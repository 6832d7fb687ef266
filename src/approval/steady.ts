import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { monotonicMillis } from "../middleware/monotonic.ts"

/**
 * Makes a clock in epoch milliseconds on which nothing lasts longer than it should: time asleep counts, as on the wall
 * clock, and setting the wall clock back does not.
 */
export const make: Effect.Effect<Effect.Effect<number>> = Effect.sync(() => {
  let ahead = Number.NEGATIVE_INFINITY
  return Effect.zipWith(Clock.currentTimeMillis, monotonicMillis, (wall, elapsed) => {
    ahead = Math.max(ahead, wall - elapsed)
    return Math.round(elapsed + ahead)
  })
})
