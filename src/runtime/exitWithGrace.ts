import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"

/**
 * Runs an effect on a fiber of its own and gives its exit. An interruption is passed on and its finalisers are awaited, but
 * no longer than `grace`; after that the straggler is left behind and the exit is an interruption. Call it where
 * interruption is off.
 */
export const exitWithGrace =
  (grace: Duration.DurationInput) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<Exit.Exit<A, E>, never, R> =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkDaemon(Effect.interruptible(self))
      const first = yield* Effect.exit(Effect.interruptible(Fiber.await(fiber)))
      if (Exit.isSuccess(first)) return first.value
      yield* Fiber.interruptFork(fiber)
      // A daemon: a second interruption reaches the children even of a fiber that cannot be interrupted itself, and the
      // fibers of a timed wait would be such children.
      const wait = yield* Effect.forkDaemon(Effect.timeoutOption(Effect.interruptible(Fiber.await(fiber)), grace))
      return Option.getOrElse(yield* Fiber.join(wait), () => Exit.interrupt(fiber.id()))
    })
