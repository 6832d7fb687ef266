import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/**
 * Calls `release` once an effect has ended in any way, and runs what it gives. For use in a region that cannot be interrupted:
 * it is `Effect.onExit` without a region of its own and, for what takes no effect, without another effect.
 */
export const afterwards = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  release: (exit: Exit.Exit<A, E>) => Effect.Effect<void> | void
): Effect.Effect<A, E, R> =>
  Effect.matchCauseEffect(self, {
    onFailure: (cause) => {
      const exit = Exit.failCause(cause)
      return Effect.matchCauseEffect(
        Effect.suspend(() => release(exit) ?? Effect.void),
        { onFailure: (then) => Effect.failCause(Cause.sequential(cause, then)), onSuccess: () => exit }
      )
    },
    onSuccess: (value) => {
      const exit = Exit.succeed(value)
      const then = release(exit)
      return then === undefined ? exit : Effect.zipRight(then, exit)
    }
  })
