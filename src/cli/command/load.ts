import * as Effect from "effect/Effect"

/** Loads the module of a handler when the command runs, and not before. */
export const load = <M, A, E, R>(
  module: () => Promise<M>,
  handler: (module: M) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => Effect.flatMap(Effect.promise(module), handler)
