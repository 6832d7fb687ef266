import * as Effect from "effect/Effect"
import type { DatabaseError } from "../database/DatabaseError.ts"
import type { Place } from "./Projects.ts"
import type { SessionStore } from "./SessionStore.ts"

/** Where a stored session works, by its first event. */
export const recordedPlace = (
  store: SessionStore["Type"],
  { project, session }: { readonly project: string; readonly session: string }
): Effect.Effect<Place, DatabaseError> =>
  Effect.map(store.read(session, 1, 1), ([first]) => {
    const directory = first?.event._tag === "SessionCreated" ? first.event.directory : undefined
    return { project, directory: directory ?? project }
  })
