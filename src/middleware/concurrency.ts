import * as Effect from "effect/Effect"
import type { Middleware } from "./Middleware.ts"
import { checkedPermits } from "./permits.ts"
import { named } from "./Step.ts"

interface Waiter {
  readonly turn: Effect.Latch
}

/**
 * Lets at most so many calls run at the same time; others wait in the order they came. The same value around
 * several tools is one limit for all of them, in which a call that waits for another of them, as a delegation does, must have
 * no part: it would hold what the other waits for.
 *
 * What holds a permit is the call, not what it left behind: an attempt that was given up on at its deadline and heeds no
 * interruption counts no longer, or one tool that hangs would hold up all others for ever.
 *
 * A permit is free only while nobody waits: one that is given back goes to the first who waits. That makes an uncontended
 * call twice as fast as with a `Semaphore`, whose every acquisition is asynchronous.
 */
export const concurrency = (permits: number): Effect.Effect<Middleware<unknown>> =>
  Effect.map(checkedPermits("concurrency", permits), () => {
    let free = permits
    const waiting = new Set<Waiter>()
    const giveBack = Effect.sync(() => {
      const [first] = waiting
      if (first === undefined) {
        free++
        return
      }
      waiting.delete(first)
      first.turn.unsafeOpen()
    })
    const limited: Middleware<unknown> = (call, next) =>
      Effect.uninterruptibleMask((restore) => {
        const run = Effect.ensuring(restore(Effect.suspend(() => next(call))), giveBack)
        if (free > 0) {
          free--
          return run
        }
        const waiter = { turn: Effect.unsafeMakeLatch(false) }
        waiting.add(waiter)
        return Effect.matchCauseEffect(restore(waiter.turn.await), {
          // Who is interrupted after it was given the permit holds it all the same.
          onFailure: (cause) =>
            Effect.zipRight(waiting.delete(waiter) ? Effect.void : giveBack, Effect.failCause(cause)),
          onSuccess: () => run
        })
      })
    return named("concurrency", `${permits} at a time`, limited)
  })
