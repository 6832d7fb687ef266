import * as Effect from "effect/Effect"
import type { Host } from "../host/Host.ts"
import type { Place } from "../runtime/Projects.ts"
import { SessionStore } from "../runtime/SessionStore.ts"
import { Caller } from "./Access.ts"
import { type Failed, Forbidden, type NotFound } from "./ApiError.ts"
import { placeOf } from "./placeOf.ts"
import { stored } from "./stored.ts"

/**
 * Fails where a caller must not begin a session. What one reads of its project is not asked about: to begin it where the server
 * does not stand, and in no project that has sessions already, is a decision, for which the scope `approve` is needed.
 */
export const mayBegin = ({
  project
}: Place): Effect.Effect<void, NotFound | Forbidden | Failed, Host | Caller | SessionStore> =>
  Effect.gen(function* () {
    const { scopes } = yield* Caller
    if (scopes.includes("approve") || project === (yield* placeOf(undefined)).project) return
    const before = yield* stored((yield* SessionStore).list({ project, limit: 1 }))
    if (before.length > 0) return
    return yield* new Forbidden({
      message: `No session has worked in ${project} yet: the first one there needs a token with the scopes operate and approve.`
    })
  })
