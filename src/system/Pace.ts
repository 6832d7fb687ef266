import * as Effect from "effect/Effect"

/** Milliseconds for which work may hold the event loop. */
const slice = 10

/** Yields to the event loop, not only to other fibers. */
const turn: Effect.Effect<void> = Effect.async((resume) => {
  const handle = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(handle))
})

/** A step to take between pieces of long work: it lets others run, and interruption in, once enough time has passed. */
export const make = (): Effect.Effect<void> => {
  let since = performance.now()
  return Effect.suspend(() =>
    performance.now() - since < slice
      ? Effect.void
      : Effect.map(turn, () => {
          since = performance.now()
        })
  )
}
