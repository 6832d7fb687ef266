import * as Effect from "effect/Effect"

/** Returns once everything runnable has run, without a timer. */
export const macrotask: Effect.Effect<void> = Effect.async<void>((resume) => {
  const handle = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(handle))
})
