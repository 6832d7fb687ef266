import * as Effect from "effect/Effect"
import { macrotask } from "./macrotask.ts"

/** Milliseconds for which work may hold the event loop. */
const slice = 10

/** A step to take between pieces of long work: it lets others run, and interruption in, once enough time has passed. */
export const make = (): Effect.Effect<void> => {
  let since = performance.now()
  return Effect.suspend(() =>
    performance.now() - since < slice
      ? Effect.void
      : Effect.map(macrotask, () => {
          since = performance.now()
        })
  )
}
