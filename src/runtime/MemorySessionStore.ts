import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Envelope } from "./Envelope.ts"
import { empty, type Projection } from "./Projection.ts"
import { pick, pickSessions } from "./Selection.ts"
import { toStore } from "./SessionDriver.ts"
import { SessionBusy, SessionFenced, SessionNotFound, SessionStore } from "./SessionStore.ts"

interface Kept {
  projection: Projection
  epoch: number
  held: boolean
  readonly events: Array<Envelope>
}

/** Sessions in memory, gone with the layer; for tests and for runs that must leave no trace. */
export const layer: Layer.Layer<SessionStore> = Layer.sync(SessionStore, () => {
  const sessions = new Map<string, Kept>()
  const find = (session: string): Effect.Effect<Kept, SessionNotFound> =>
    Effect.suspend(() => {
      const kept = sessions.get(session)
      return kept === undefined ? new SessionNotFound({ session }) : Effect.succeed(kept)
    })
  return toStore({
    open: ({ create, session }) =>
      Effect.acquireRelease(
        Effect.suspend(() => {
          if (!sessions.has(session) && create !== undefined) {
            const projection = empty(session, { project: create.project, profile: create.profile }, create.time)
            sessions.set(session, { projection, epoch: 0, held: false, events: [] })
          }
          return Effect.flatMap(find(session), (kept) => {
            if (kept.held) return new SessionBusy({ session, pid: process.pid })
            kept.held = true
            kept.epoch += 1
            const { head, profile, project } = kept.projection.summary
            return Effect.succeed({ session, epoch: kept.epoch, head, created: head === 0, project, profile })
          })
        }),
        ({ epoch }) =>
          Effect.sync(() => {
            const kept = sessions.get(session)
            if (kept?.epoch === epoch) kept.held = false
          })
      ),
    append: ({ epoch, session }, events, projection) =>
      Effect.suspend(() => {
        const kept = sessions.get(session)
        if (kept?.epoch !== epoch) return new SessionFenced({ session, epoch })
        for (const envelope of events) kept.events.push(envelope)
        kept.projection = projection
        return Effect.void
      }),
    delete: ({ epoch, session }) =>
      Effect.suspend(() => {
        if (sessions.get(session)?.epoch !== epoch) return new SessionFenced({ session, epoch })
        sessions.delete(session)
        return Effect.void
      }),
    size: (session) =>
      Effect.sync(() => JSON.stringify(sessions.get(session)?.events.map(({ event }) => event) ?? []).length),
    select: (session, which) =>
      Effect.sync(() => {
        const events = sessions.get(session)?.events ?? []
        return pick(which.from === undefined ? events : events.slice(which.from - 1), which)
      }),
    get: (session) => Effect.map(find(session), ({ projection }) => projection),
    list: (filter) =>
      Effect.sync(() =>
        pickSessions(
          [...sessions.values()].map(({ projection }) => projection),
          filter
        )
      )
  })
})
