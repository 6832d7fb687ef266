import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/** Whether an effect has ended after a time, however; one that has not is left to itself. It works where nothing can be interrupted. */
export const endsWithin = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  time: Duration.DurationInput
): Effect.Effect<boolean, never, R> =>
  Effect.gen(function* () {
    const ended = yield* Deferred.make<boolean>()
    yield* Effect.forkDaemon(Effect.ensuring(self, Deferred.succeed(ended, true)))
    const late = Effect.delay(Deferred.succeed(ended, false), time)
    const timer = yield* Effect.forkDaemon(Effect.interruptible(late))
    const inTime = yield* Deferred.await(ended)
    yield* Fiber.interruptFork(timer)
    return inTime
  })
