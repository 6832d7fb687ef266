import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Database, type Write } from "../database/Database.ts"
import { DatabaseDamaged, type DatabaseError, DatabaseFailed, fromCause } from "../database/DatabaseError.ts"
import { Text } from "../database/text.ts"
import { macrotask } from "../system/macrotask.ts"
import * as WorkerPath from "../tool/WorkerPath.ts"
import * as Checksum from "./Checksum.ts"
import { type Envelope, schemaVersion } from "./Envelope.ts"
import { decodeEvent } from "./Event.ts"
import { Open, type Projection } from "./Projection.ts"
import type { Selection } from "./Selection.ts"
import { toStore } from "./SessionDriver.ts"
import { type Lease, SessionFenced, SessionNotFound, SessionStore } from "./SessionStore.ts"
import * as SqlAppend from "./SqlAppend.ts"
import * as SqlHandover from "./SqlHandover.ts"
import * as SqlLeases from "./SqlLeases.ts"

const json = Schema.decodeUnknownEither(Schema.parseJson())
const isOpen = Schema.decodeUnknownEither(Schema.parseJson(Open))

const SessionRow = Schema.Struct({
  id: Schema.String,
  project: Schema.String,
  profile: Schema.String,
  title: Text,
  created_at: Schema.Number,
  updated_at: Schema.Number,
  status: Schema.Literal("open", "ended"),
  head: Schema.Number,
  open: Schema.String
})

const sessionColumns = "id, project, profile, json_quote(title) AS title, created_at, updated_at, status, head, open"

/** What the index of answers has. */
const answers = [
  "CommandPerformed",
  "CommandRejected",
  "TaskQueued",
  "ApprovalRevoked",
  "ApprovalPolicySet",
  "ModelSwitched",
  "SessionRenamed",
  "SessionForked",
  "SessionRewound",
  "SessionCreated",
  "SessionResumed",
  "SessionCleared",
  "SessionEnded"
] as const

/** As literals, for an index of some tags alone serves no statement that is given them later. */
const literals = (tags: ReadonlyArray<string>): string => tags.map((tag) => `'${tag.replaceAll("'", "''")}'`).join(", ")

/**
 * What goes with a session; the triggers take its messages out of the indexes. Its forks are indexed from then on, and what it has
 * cost stays.
 */
const deletions = [
  "INSERT OR REPLACE INTO unindexed (session_id, until) SELECT id, forked_at FROM sessions WHERE forked_from = ?",
  "UPDATE sessions SET forked_from = NULL, forked_at = NULL WHERE forked_from = ?",
  `DELETE FROM approval_answers WHERE approval_id IN (
    SELECT event ->> '$.request.id' FROM events WHERE session_id = ? AND tag = 'ApprovalRequested'
  )`,
  "DELETE FROM events WHERE session_id = ?",
  "DELETE FROM unindexed WHERE session_id = ?",
  "DELETE FROM memories WHERE scope = 'session' AND session_id = ?",
  "DELETE FROM sessions WHERE id = ?"
]

/** Sessions in the database. */
export const layer: Layer.Layer<SessionStore, never, Database> = Layer.scoped(
  SessionStore,
  Effect.gen(function* () {
    const database = yield* Database
    const sql = database.read
    const rows = <A, I>(schema: Schema.Schema<A, I>) => {
      const decode = Schema.decodeUnknown(Schema.Array(schema))
      return (
        statement: Effect.Effect<ReadonlyArray<unknown>, SqlError>
      ): Effect.Effect<ReadonlyArray<A>, DatabaseError> =>
        Effect.flatMap(
          Effect.mapError(statement, (error) => fromCause(database.file, error)),
          (found) =>
            Effect.mapError(
              decode(found),
              (error) =>
                new DatabaseFailed({ file: database.file, code: "decode", reason: error.message.slice(0, 400) })
            )
        )
    }
    const damaged = (session: string, what: string) =>
      new DatabaseDamaged({ file: database.file, what: `of session ${session}, ${what}` })
    const eventRows = rows(Checksum.StoredEvent)
    const headRows = rows(Schema.Struct({ head: Schema.Number }))
    const sessionRows = rows(SessionRow)
    const sizeRows = rows(Schema.Struct({ bytes: Schema.Number }))
    const projectionOf = (row: typeof SessionRow.Type) =>
      Effect.mapBoth(isOpen(row.open), {
        onFailure: () => damaged(row.id, "what is open of it cannot be read"),
        onSuccess: (open): Projection => ({
          summary: {
            id: row.id,
            project: row.project,
            profile: row.profile,
            title: row.title,
            createdAt: row.created_at,
            updatedAt: row.updated_at,
            status: row.status,
            head: row.head
          },
          open
        })
      })

    const envelopeOf = (session: string, row: Checksum.StoredEvent) =>
      Effect.mapBoth(Either.flatMap(json(row.event), decodeEvent), {
        onFailure: () => damaged(session, `event ${row.seq} cannot be read`),
        onSuccess: (event): Envelope => ({
          version: schemaVersion,
          seq: row.seq,
          time: row.time,
          session,
          ...(row.task_id === null ? {} : { task: row.task_id }),
          ...(row.iteration === null ? {} : { iteration: row.iteration }),
          ...(row.worker === null ? {} : { worker: WorkerPath.fromText(row.worker) }),
          event
        })
      })

    const isAt = (path: WorkerPath.WorkerPath) =>
      WorkerPath.isRoot(path) ? sql`(worker IS NULL OR worker = 'root')` : sql`worker = ${WorkerPath.toText(path)}`
    /** The worker at a path and those below it. */
    const isWithin = (path: WorkerPath.WorkerPath) => {
      const above = WorkerPath.toText(path)
      return sql`(worker = ${above} OR substr(worker, 1, length(${above}) + 1) = ${`${above}/`})`
    }
    /** Events one after the other, and none that is missing or not what was written. */
    const read = (session: string, from: number, limit: number) =>
      Effect.gen(function* () {
        // The head first: what is stored meanwhile comes behind it.
        const [{ head } = { head: 0 }] = yield* headRows(sql`SELECT head FROM sessions WHERE id = ${session}`)
        const found = yield* eventRows(
          sql`SELECT seq, time, tag, task_id, iteration, worker, event, checksum FROM events
            WHERE session_id = ${session} AND seq >= ${from} ORDER BY seq LIMIT ${limit}`
        )
        const reading = new Checksum.Reading(Math.max(1, from))
        const envelopes = yield* Effect.forEach(found, (row) => {
          const fault = reading.fault(row)
          return fault !== undefined ? damaged(session, fault) : envelopeOf(session, row)
        })
        const last = found[found.length - 1]?.seq ?? Math.max(1, from) - 1
        return found.length < limit && last < head
          ? yield* damaged(session, `it should have ${head} events and its last one is ${last}`)
          : envelopes
      })
    const some = (session: string, which: Selection) => {
      const { commandId, except = [], from, iterations, last = false, limit = -1, tasks, within, worker } = which
      const tags = which.tags ?? (commandId === undefined ? undefined : answers)
      const isQueued = tasks !== undefined && tags?.length === 1 && tags[0] === "TaskQueued"
      // Asked for their order, SQLite would walk through a whole session for the one event that an index finds.
      const order = commandId === undefined && !isQueued ? sql`seq` : sql`+seq`
      return Effect.flatMap(
        eventRows(
          sql`SELECT seq, time, tag, task_id, iteration, worker, event, NULL AS checksum FROM events
            WHERE ${sql.and([
              sql`session_id = ${session}`,
              ...(from === undefined ? [] : [sql`seq >= ${from}`]),
              // The index of the queued ones serves its own words alone.
              ...(isQueued ? [sql`tag = 'TaskQueued'`] : []),
              ...(tags === undefined || isQueued ? [] : [sql`tag IN (${sql.literal(literals(tags))})`]),
              ...except.map(({ from, until }) => sql`NOT (seq >= ${from} AND seq < ${until})`),
              ...(tasks === undefined ? [] : [sql.in("task_id", tasks)]),
              ...(iterations === undefined ? [] : [sql.in("iteration", iterations)]),
              ...(worker === undefined ? [] : [isAt(worker)]),
              ...(within === undefined ? [] : [isWithin(within)]),
              ...(commandId === undefined ? [] : [sql`event ->> '$.commandId' = ${commandId}`])
            ])} ORDER BY ${order} ${sql.literal(last ? "DESC" : "ASC")} LIMIT ${limit}`
        ),
        (found) => Effect.forEach(last ? found.toReversed() : found, (row) => envelopeOf(session, row))
      )
    }

    /** All of the events or, where the session has another owner, none. */
    const written = (
      { epoch, session }: Lease,
      { summary: { head } }: Projection,
      count: number,
      write: Write<number>
    ): Effect.Effect<void, SessionFenced | DatabaseError> =>
      Effect.flatMap(
        database.write(write, (changes) => (changes === count ? { session, head } : undefined)),
        (changes) => (changes === count ? Effect.void : new SessionFenced({ session, epoch }))
      )

    const open = yield* SqlLeases.make
    const handover = yield* SqlHandover.make(database)

    return toStore({
      handover,
      gather: macrotask,
      open,
      append: (lease, events, projection) =>
        written(lease, projection, events.length, (connection) =>
          SqlAppend.append(connection, lease, events, projection)
        ),
      copy: (lease, origin, events, projection) =>
        written(lease, projection, origin.last + events.length, (connection) =>
          SqlAppend.copy(connection, lease, origin, events, projection)
        ),
      select: (session, which) => {
        const { from = 1, limit = -1, ...rest } = which
        return Object.keys(rest).length === 0 ? read(session, from, limit) : some(session, which)
      },
      delete: ({ epoch, session }) =>
        Effect.flatMap(
          database.write(
            (connection) =>
              Effect.gen(function* () {
                const owned = yield* connection.execute(
                  "SELECT 1 FROM sessions WHERE id = ? AND epoch = ?",
                  [session, epoch],
                  undefined
                )
                if (owned.length === 0) return false
                for (const statement of deletions) yield* connection.executeRaw(statement, [session])
                return true
              }),
            undefined,
            session
          ),
          (isDeleted) => (isDeleted ? Effect.void : new SessionFenced({ session, epoch }))
        ),
      size: (session) =>
        Effect.map(
          sizeRows(
            sql`SELECT coalesce(sum(octet_length(event)), 0) AS bytes FROM events WHERE session_id = ${session}`
          ),
          ([row]) => row?.bytes ?? 0
        ),
      get: (session) =>
        Effect.flatMap(
          sessionRows(sql`SELECT ${sql.literal(sessionColumns)} FROM sessions WHERE id = ${session}`),
          ([row]): Effect.Effect<Projection, SessionNotFound | DatabaseError> =>
            row === undefined ? new SessionNotFound({ session }) : projectionOf(row)
        ),
      list: ({ beginning = "", limit = -1, project, waiting = false }) =>
        Effect.flatMap(
          sessionRows(
            sql`SELECT ${sql.literal(sessionColumns)} FROM sessions WHERE ${sql.and([
              ...(project === undefined ? [] : [sql`project = ${project}`]),
              ...(beginning === "" ? [] : [sql`id >= ${beginning} AND id < ${`${beginning}\u{10ffff}`}`]),
              ...(waiting ? [sql`waits > 0`] : []),
              sql`head > 0`
            ])} ORDER BY updated_at DESC LIMIT ${limit}`
          ),
          (found) => Effect.forEach(found, projectionOf)
        )
    })
  })
)
