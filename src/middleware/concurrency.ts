import * as Effect from "effect/Effect"
import { afterwards } from "./afterwards.ts"
import type { Middleware } from "./Middleware.ts"
import { named } from "./Step.ts"
import { wholeNumber } from "../system/wholeNumber.ts"

interface Waiter {
  readonly turn: Effect.Latch
}

/**
 * Lets at most `permits` calls run at the same time; others wait in order. The same value around several tools is one
 * shared limit. A call that waits for another call under the same limit, as a delegation does, deadlocks: leave it out.
 *
 * The call holds the permit, not what it leaves behind: an attempt that was given up at its deadline and ignores
 * interruption no longer counts.
 *
 * A permit that is given back goes to the first waiter. An uncontended call is twice as fast as with a `Semaphore`,
 * whose acquisition is always asynchronous.
 */
export const concurrency = (permits: number): Effect.Effect<Middleware<unknown>> =>
  Effect.sync(() => {
    let free = wholeNumber("concurrency: permits", permits)
    const waiting = new Set<Waiter>()
    const giveBack = (): void => {
      const [first] = waiting
      if (first === undefined) {
        free++
        return
      }
      waiting.delete(first)
      first.turn.unsafeOpen()
    }
    const limited: Middleware<unknown> = (call, next) =>
      Effect.uninterruptibleMask((restore) => {
        const run = afterwards(restore(Effect.suspend(() => next(call))), giveBack)
        if (free > 0) {
          free--
          return run
        }
        const waiter = { turn: Effect.unsafeMakeLatch(false) }
        waiting.add(waiter)
        return Effect.matchCauseEffect(restore(waiter.turn.await), {
          // Who is interrupted after it was given the permit holds it all the same.
          onFailure: (cause) => {
            if (!waiting.delete(waiter)) giveBack()
            return Effect.failCause(cause)
          },
          onSuccess: () => run
        })
      })
    return named("concurrency", `${permits} at a time`, limited)
  })
