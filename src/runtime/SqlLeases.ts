import type { SqlError } from "@effect/sql/SqlError"
import type { Connection } from "@effect/sql/SqlConnection"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { Database } from "../database/Database.ts"
import { DatabaseDamaged, DatabaseFailed } from "../database/DatabaseError.ts"
import * as Presence from "../database/Presence.ts"
import { type Lease, type OpenOptions, SessionBusy, SessionNotFound, type SessionStore } from "./SessionStore.ts"

const LeaseRow = Schema.Struct({
  epoch: Schema.Number,
  head: Schema.Number,
  project: Schema.String,
  profile: Schema.String,
  last: Schema.Number
})

const insert = `INSERT INTO sessions (id, project, profile, created_at, updated_at, epoch)
  VALUES (?, ?, ?, ?, ?, 0) ON CONFLICT DO NOTHING`
const own = `UPDATE sessions SET owner = ?, epoch = epoch + 1 WHERE id = ? RETURNING epoch, head, project, profile,
  coalesce((SELECT max(seq) FROM events WHERE session_id = id), 0) AS last`
const disown = "UPDATE sessions SET owner = NULL WHERE id = ? AND epoch = ?"

/** Takes sessions in the name of this process, as long as no other one that lives has them. */
export const make: Effect.Effect<SessionStore["Type"]["open"], never, Database | Scope.Scope> = Effect.gen(
  function* () {
    const database = yield* Database
    const processes = `${database.file}-processes`
    const held = new Set<string>()
    const appeared = yield* Presence.appearing(processes)
    const decode = Schema.decodeUnknown(LeaseRow)

    /** The owner of a session, if it lives. */
    const livingOwner = (connection: Connection, session: string, self: string) =>
      Effect.gen(function* (): Effect.fn.Return<string | undefined, SqlError> {
        const [row] = yield* connection.execute("SELECT owner FROM sessions WHERE id = ?", [session], undefined)
        const owner: unknown = row?.owner
        if (typeof owner !== "string") return undefined
        const lives = owner === self ? held.has(session) : yield* Presence.isPresent(processes, owner)
        return lives ? owner : undefined
      })
    // The lock of the database is held meanwhile: of two who want the session of a dead owner, the second finds the first.
    const take = ({ create, session }: OpenOptions) =>
      Effect.gen(function* () {
        const { owner, row } = yield* database.write((connection) =>
          Effect.gen(function* () {
            const self = yield* appeared
            const owner = yield* livingOwner(connection, session, self)
            if (owner !== undefined) return { owner, row: undefined }
            if (create !== undefined) {
              const { profile, project, time } = create
              yield* connection.executeRaw(insert, [session, project, profile, time, time])
            }
            const [row] = yield* connection.execute(own, [self, session], undefined)
            return { owner, row }
          })
        )
        if (owner !== undefined) return yield* new SessionBusy({ session, pid: Presence.pidOf(owner) })
        if (row === undefined) return yield* new SessionNotFound({ session })
        const { last, ...lease } = yield* Effect.mapError(
          decode(row),
          (error) => new DatabaseFailed({ file: database.file, code: "decode", reason: error.message.slice(0, 400) })
        )
        if (last !== lease.head) {
          const what = `session ${session} should have ${lease.head} events and its last one is ${last}`
          return yield* new DatabaseDamaged({ file: database.file, what })
        }
        held.add(session)
        return { ...lease, session, created: lease.head === 0 }
      })
    const release = ({ epoch, session }: Lease) =>
      Effect.zipRight(
        Effect.ignore(database.write((connection) => connection.executeRaw(disown, [session, epoch]))),
        Effect.sync(() => held.delete(session))
      )
    return Effect.fn("SessionStore.open")((options) => Effect.acquireRelease(take(options), release))
  }
)
