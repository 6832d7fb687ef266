import * as Effect from "effect/Effect"
import type { SessionNotFound } from "../runtime/SessionStore.ts"
import { Failed, NotFound } from "./ApiError.ts"

interface Fault {
  readonly _tag: string
  readonly message: string
}

/** What is read of the user's stores, where a failure is ours. */
export const stored = <A, E extends Fault, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, Failed, R> =>
  Effect.catchAll(self, ({ message }) =>
    Effect.zipRight(Effect.logError("A request failed", message), new Failed({ message }))
  )

/** The same of a session, which may not be there. */
export const ofSession = <A, E extends Fault, R>(
  self: Effect.Effect<A, SessionNotFound | E, R>
): Effect.Effect<A, NotFound | Failed, R> =>
  Effect.catchAll(self, (error): Effect.Effect<never, NotFound | Failed> =>
    error._tag === "SessionNotFound"
      ? Effect.fail(new NotFound({ message: error.message, error: error._tag }))
      : stored(Effect.fail(error))
  )
