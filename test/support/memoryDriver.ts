import { Effect } from "effect"
import type { Envelope } from "../../src/runtime/Envelope.ts"
import { empty, type Projection } from "../../src/runtime/Projection.ts"
import { pick, pickSessions } from "../../src/runtime/Selection.ts"
import type { SessionDriver } from "../../src/runtime/SessionDriver.ts"
import { SessionNotFound } from "../../src/runtime/SessionStore.ts"

interface Kept {
  readonly projection: Projection
  readonly events: ReadonlyArray<Envelope>
}

/** A driver of a user who keeps sessions in memory and knows of one owner alone; anything of it can be put in its place. */
export const memoryDriver = (instead: (usual: SessionDriver) => Partial<SessionDriver>): SessionDriver => {
  const sessions = new Map<string, Kept>()
  const find = (session: string) =>
    Effect.suspend(() => {
      const kept = sessions.get(session)
      return kept === undefined ? new SessionNotFound({ session }) : Effect.succeed(kept)
    })
  const usual: SessionDriver = {
    open: ({ create, session }) =>
      Effect.suspend(() => {
        if (!sessions.has(session) && create !== undefined) {
          sessions.set(session, { projection: empty(session, create, create.time), events: [] })
        }
        return Effect.map(find(session), ({ projection: { summary } }) => {
          const { head, profile, project } = summary
          return { session, epoch: 1, head, created: head === 0, project, profile }
        })
      }),
    append: ({ session }, events, projection) =>
      Effect.sync(() => {
        sessions.set(session, { projection, events: [...(sessions.get(session)?.events ?? []), ...events] })
      }),
    delete: ({ session }) => Effect.sync(() => void sessions.delete(session)),
    size: () => Effect.succeed(0),
    select: (session, which) => Effect.sync(() => pick(sessions.get(session)?.events ?? [], which)),
    get: (session) => Effect.map(find(session), ({ projection }) => projection),
    list: (filter) =>
      Effect.sync(() =>
        pickSessions(
          [...sessions.values()].map(({ projection }) => projection),
          filter
        )
      )
  }
  return { ...usual, ...instead(usual) }
}
