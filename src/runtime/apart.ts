import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/**
 * Runs to its end, with the scopes that it closes, in a fiber of its own: Effect forgets an interruption that reaches a fiber while
 * that runs a finalizer, and whoever interrupts it then waits for ever.
 */
export const apart = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.uninterruptible(Effect.flatMap(Effect.forkDaemon(self), Fiber.join))
