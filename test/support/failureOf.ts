import { Effect } from "effect"

/** The error of an effect that must fail. */
export const failureOf = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<E, never, R> =>
  Effect.matchEffect(self, {
    onFailure: (error) => Effect.succeed(error),
    onSuccess: () => Effect.dieMessage("expected a failure")
  })
