import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { DatabaseError } from "../database/DatabaseError.ts"
import { SessionNotFound, SessionStore } from "../runtime/SessionStore.ts"
import { project } from "./here.ts"
import { UsageError } from "./Outcome.ts"
import { oneLine } from "../text/visible.ts"

/** Several sessions have ids that begin so. */
export class SessionAmbiguous extends Schema.TaggedError<SessionAmbiguous>()("SessionAmbiguous", {
  beginning: Schema.String,
  candidates: Schema.Array(Schema.Struct({ id: Schema.String, title: Schema.String })),
  /** Whether there are others besides the candidates. */
  more: Schema.Boolean
}) {
  override get message() {
    return [
      `Several sessions begin with ${this.beginning}; use a longer prefix:`,
      ...this.candidates.map(({ id, title }) => `  ${id}  ${oneLine(title) || "(no prompt yet)"}`),
      ...(this.more ? ["  … and more; tollgate sessions list --all shows them"] : [])
    ].join("\n")
  }
}

const prefix = "session_"

/** Characters of an id that a person needs to see; any unique beginning names a session. */
export const shortLength = prefix.length + 8

export const shortSession = (id: string): string => id.slice(0, shortLength)

/** Candidates that are shown. */
const maxCandidates = 8

/** The whole id for any unique beginning of it. */
export const resolve = (
  beginning: string
): Effect.Effect<string, SessionNotFound | SessionAmbiguous | DatabaseError, SessionStore> =>
  Effect.gen(function* () {
    const store = yield* SessionStore
    const exact = yield* Effect.option(store.get(beginning))
    if (exact._tag === "Some") return beginning
    if (beginning === "") return yield* new SessionNotFound({ session: beginning })
    const limit = maxCandidates + 1
    const found = [
      ...(yield* store.list({ beginning, limit })),
      ...(yield* store.list({ beginning: `${prefix}${beginning}`, limit }))
    ]
    const [only, ...others] = found
    if (only === undefined) return yield* new SessionNotFound({ session: beginning })
    if (others.length === 0) return only.id
    const candidates = found.slice(0, maxCandidates).map(({ id, title }) => ({ id, title }))
    return yield* new SessionAmbiguous({ beginning, candidates, more: found.length > maxCandidates })
  })

/** The session of this project that was used last. */
export const latest = Effect.gen(function* () {
  const here = yield* project
  const [last] = yield* (yield* SessionStore).list({ project: here, limit: 1 })
  if (last === undefined) {
    return yield* new UsageError({ reason: `No sessions in ${here} yet. tollgate sessions list --all shows others.` })
  }
  return last.id
})

/** The session that is named, or the last one of this project. */
export const named = (session: Option.Option<string>) =>
  Option.match(session, { onNone: () => latest, onSome: resolve })
