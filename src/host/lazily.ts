import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"

/** What is made with its first use, once for all users, none of whom takes it from the others by going. */
export const lazily = <A, E, R>(
  self: Effect.Effect<A, E, R>
): Effect.Effect<Effect.Effect<A, E>, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const context = yield* Effect.context<R>()
    const made = yield* Effect.cached(
      Effect.uninterruptible(Effect.forkIn(Effect.interruptible(Effect.provide(self, context)), scope))
    )
    return Effect.flatten(Effect.flatMap(Effect.uninterruptible(made), Fiber.await))
  })
