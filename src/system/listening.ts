import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { EventEmitter } from "node:events"

/** Hears of an event until the scope ends. */
export const listening = (
  source: EventEmitter,
  event: string,
  hear: () => void
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() => source.on(event, hear)),
      () => Effect.sync(() => source.off(event, hear))
    )
  )
