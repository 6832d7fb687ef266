import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { awaited } from "../middleware/awaited.ts"
import { Stragglers } from "../middleware/Stragglers.ts"

export interface Patience<E> {
  /** How long an interrupted effect may take to clean up. */
  readonly grace: Duration.DurationInput
  /** How long the effect may take before it is interrupted; infinite where it may take any time. */
  readonly limit: Duration.Duration
  readonly onTimeout: () => E
}

/**
 * Runs an effect on its own fiber and gives its exit. An interruption, or the end of its time, is passed on; finalisers
 * are awaited for at most `grace`, then the straggler is left behind. Call it in an uninterruptible region.
 */
export const exitWithGrace =
  <E2>({ grace, limit, onTimeout }: Patience<E2>) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<Exit.Exit<A, E | E2>, never, R> =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkDaemon(Effect.interruptible(self))
      const patience = awaited(fiber, Duration.isFinite(limit) ? Effect.sleep(limit) : undefined)
      const first = yield* Effect.exit(Effect.interruptible(patience))
      if (Exit.isSuccess(first) && first.value._tag === "Ended") return first.value.value
      yield* Fiber.interruptFork(fiber)
      // A daemon: a second interruption reaches the children even of a fiber that cannot be interrupted itself, and the
      // fibers of a timed wait would be such children.
      const wait = yield* Effect.forkDaemon(Effect.timeoutOption(Effect.interruptible(Fiber.await(fiber)), grace))
      const ended = yield* Fiber.join(wait)
      if (Option.isNone(ended)) (yield* Stragglers).add(fiber)
      if (Exit.isFailure(first)) return Option.getOrElse(ended, () => Exit.interrupt(fiber.id()))
      return Option.getOrElse(Option.filter(ended, Exit.isSuccess), () => Exit.fail(onTimeout()))
    })
