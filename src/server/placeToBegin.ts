import * as Effect from "effect/Effect"
import type { Host } from "../host/Host.ts"
import type { Place } from "../runtime/Projects.ts"
import { SessionStore } from "../runtime/SessionStore.ts"
import { Caller } from "./Access.ts"
import { type Failed, Forbidden, type NotFound } from "./ApiError.ts"
import { placeOf } from "./placeOf.ts"
import { stored } from "./stored.ts"

/**
 * The place of a session that the caller begins. What a session reads of its project is not asked about: to begin one where the
 * server does not stand, and in no project that has sessions already, is a decision, for which the scope `approve` is needed.
 */
export const placeToBegin = (
  directory: string | undefined
): Effect.Effect<Place, NotFound | Forbidden | Failed, Host | Caller | SessionStore> =>
  Effect.gen(function* () {
    const place = yield* placeOf(directory)
    const { scopes } = yield* Caller
    if (scopes.includes("approve") || place.project === (yield* placeOf(undefined)).project) return place
    const before = yield* stored((yield* SessionStore).list({ project: place.project, limit: 1 }))
    if (before.length > 0) return place
    return yield* new Forbidden({
      message: `No session has worked in ${place.project} yet: the first one there needs a token with the scopes operate and approve.`
    })
  })
