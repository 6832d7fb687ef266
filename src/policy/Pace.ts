import * as Effect from "effect/Effect"

/** Milliseconds for which work may hold the event loop. */
const slice = 10

/** Comes back after whatever waits for the event loop; a yield to other fibers alone would not let it run. */
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
