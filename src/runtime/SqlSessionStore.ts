import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { StoredMessage } from "../conversation/Message.ts"
import { Database } from "../database/Database.ts"
import { DatabaseDamaged, type DatabaseError, DatabaseFailed, fromCause } from "../database/DatabaseError.ts"
import { Text } from "../database/text.ts"
import { noUsage, Usage } from "../model/ModelPart.ts"
import { ApprovalRequest } from "../tool/ApprovalRequest.ts"
import * as WorkerPath from "../tool/WorkerPath.ts"
import * as Checksum from "./Checksum.ts"
import { type Envelope, schemaVersion } from "./Envelope.ts"
import { decodeEvent } from "./Event.ts"
import { lenient } from "./Lenient.ts"
import { type Lease, SessionFenced, SessionNotFound, SessionStore } from "./SessionStore.ts"
import * as SqlLeases from "./SqlLeases.ts"

const json = Schema.decodeUnknownEither(Schema.parseJson())
const decodeMessage = lenient(StoredMessage)
const decodeRequest = lenient(ApprovalRequest)

const SessionRow = Schema.Struct({
  id: Schema.String,
  project: Schema.String,
  profile: Schema.String,
  title: Text,
  created_at: Schema.Number,
  updated_at: Schema.Number,
  status: Schema.Literal("open", "ended"),
  head: Schema.Number
})

const CallRow = Schema.Struct({
  task_id: Schema.String,
  iteration: Schema.Number,
  worker: Text,
  call_id: Text,
  tool: Text,
  may_have_happened: Schema.Number,
  by_user: Schema.Number
})

const sessionColumns = "id, project, profile, json_quote(title) AS title, created_at, updated_at, status, head"

const MessageRow = Schema.Struct({ seq: Schema.Number, message: Schema.String })
const TaskRow = Schema.Struct({ task_id: Schema.String })

const WaitingRow = Schema.Struct({
  session_id: Schema.String,
  seq: Schema.Number,
  project: Schema.String,
  request: Schema.String
})

/** The statements stay the same whatever the size of the batch: a JSON array with one array of columns for each event. */
const insertEvents = `
  INSERT INTO events (session_id, seq, epoch, time, tag, task_id, iteration, worker, event, checksum)
  SELECT owner.id, e.value ->> 0, owner.epoch, e.value ->> 1, e.value ->> 2, e.value ->> 3, e.value ->> 4,
    e.value ->> 5, e.value ->> 6, e.value ->> 7
  FROM sessions AS owner, json_each(?) AS e
  WHERE owner.id = ? AND owner.epoch = ?`

const moveHead = "UPDATE sessions SET head = ?, updated_at = ? WHERE id = ? AND epoch = ?"

const stored = ({ event, iteration, seq, task, time, worker }: Envelope): Checksum.NewEvent => ({
  seq,
  time,
  tag: event._tag === "UnknownEvent" ? event.tag : event._tag,
  task_id: task ?? null,
  iteration: iteration ?? null,
  worker: worker === undefined ? null : WorkerPath.toText(worker),
  event: JSON.stringify(event)
})

/** The JSON of a batch; its first event carries the checksum of all. */
const batchOf = (events: ReadonlyArray<Envelope>): string => {
  const rows = events.map(stored)
  const checksum = Checksum.of(rows)
  return JSON.stringify(
    rows.map(({ event, iteration, seq, tag, task_id, time, worker }, index) => [
      seq,
      time,
      tag,
      task_id,
      iteration,
      worker,
      event,
      index === 0 ? checksum : null
    ])
  )
}

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
    const usageRows = rows(Usage)
    const sessionRows = rows(SessionRow)
    const messageRows = rows(MessageRow)
    const taskRows = rows(TaskRow)
    const callRows = rows(CallRow)
    const waitingRows = rows(WaitingRow)
    const summary = (row: typeof SessionRow.Type) => ({
      id: row.id,
      project: row.project,
      profile: row.profile,
      title: row.title,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      status: row.status,
      head: row.head
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

    /** The worker at a path and those below it. */
    const isWithin = (path: WorkerPath.WorkerPath) => {
      const above = WorkerPath.toText(path)
      return sql`(worker = ${above} OR substr(worker, 1, length(${above}) + 1) = ${`${above}/`})`
    }
    /** Messages that come latest first, in order. */
    const messagesOf = (session: string, statement: Effect.Effect<ReadonlyArray<unknown>, SqlError>) =>
      Effect.flatMap(messageRows(statement), (found) =>
        Effect.forEach(found.toReversed(), ({ message, seq }) =>
          Effect.mapError(Either.flatMap(json(message), decodeMessage), () =>
            damaged(session, `the message of event ${seq} cannot be read`)
          )
        )
      )

    const open = yield* SqlLeases.make

    return SessionStore.of({
      open,
      append: (lease: Lease, events) => {
        const last = events[events.length - 1]
        if (last === undefined) return Effect.void
        const { epoch, session } = lease
        const batch = batchOf(events)
        const isStored = (result: unknown) => (result as { readonly changes: number }).changes === events.length
        return Effect.flatMap(
          database.write(
            (connection) =>
              Effect.zipLeft(
                connection.executeRaw(insertEvents, [batch, session, epoch]),
                connection.executeRaw(moveHead, [last.seq, last.time, session, epoch])
              ),
            (result) => (isStored(result) ? { session, head: last.seq } : undefined)
          ),
          (result) => (isStored(result) ? Effect.void : new SessionFenced({ session, epoch }))
        )
      },
      read: (session, from, limit) =>
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
        }),
      ofTasks: (session, { iterations, tags, tasks, within }) =>
        Effect.flatMap(
          eventRows(
            sql`SELECT seq, time, tag, task_id, iteration, worker, event, NULL AS checksum FROM events
              WHERE ${sql.and([
                sql`session_id = ${session}`,
                sql.in("task_id", tasks),
                sql.in("tag", tags),
                ...(iterations === undefined ? [] : [sql.in("iteration", iterations)]),
                ...(within === undefined ? [] : [isWithin(within)])
              ])} ORDER BY seq`
          ),
          (found) => Effect.forEach(found, (row) => envelopeOf(session, row))
        ),
      used: (session, task, worker) =>
        Effect.map(
          usageRows(
            sql`SELECT coalesce(sum(event ->> '$.usage.inputTokens'), 0) AS inputTokens,
                coalesce(sum(event ->> '$.usage.outputTokens'), 0) AS outputTokens,
                coalesce(sum(event ->> '$.usage.cachedInputTokens'), 0) AS cachedInputTokens,
                coalesce(sum(event ->> '$.usage.reasoningTokens'), 0) AS reasoningTokens
              FROM events WHERE session_id = ${session} AND task_id = ${task} AND tag = 'ModelAnswered'
                AND ${isWithin(worker)}`
          ),
          ([usage = noUsage]) => usage
        ),
      get: (session) =>
        Effect.flatMap(
          sessionRows(sql`SELECT ${sql.literal(sessionColumns)} FROM sessions WHERE id = ${session}`),
          ([row]) => (row === undefined ? new SessionNotFound({ session }) : Effect.succeed(summary(row)))
        ),
      list: ({ beginning = "", limit, project }) =>
        Effect.map(
          sessionRows(
            sql`SELECT ${sql.literal(sessionColumns)} FROM sessions WHERE ${sql.and([
              ...(project === undefined ? [] : [sql`project = ${project}`]),
              ...(beginning === "" ? [] : [sql`id >= ${beginning} AND id < ${`${beginning}\u{10ffff}`}`]),
              sql`TRUE`
            ])} ORDER BY updated_at DESC LIMIT ${limit}`
          ),
          (found) => found.map(summary)
        ),
      messages: (session, limit) =>
        messagesOf(
          session,
          sql`SELECT seq, message FROM messages WHERE session_id = ${session}
            AND seq >= (SELECT visible_from FROM sessions WHERE id = ${session})
            AND (worker IS NULL OR worker = 'root')
            ORDER BY seq DESC LIMIT ${limit}`
        ),
      workerMessages: (session, { limit, task, worker }) =>
        messagesOf(
          session,
          sql`SELECT seq, message FROM messages WHERE session_id = ${session} AND task_id = ${task}
            AND worker = ${WorkerPath.toText(worker)} ORDER BY seq DESC LIMIT ${limit}`
        ),
      unfinished: Effect.fn("SessionStore.unfinished")(function* (session) {
        const tasks = yield* taskRows(
          sql`SELECT task_id FROM tasks WHERE session_id = ${session} AND ended_at IS NULL ORDER BY queued_at`
        )
        const calls = yield* callRows(
          sql`SELECT task_id, iteration, json_quote(worker) AS worker, json_quote(call_id) AS call_id,
              json_quote(tool) AS tool, state = 'started' AS may_have_happened, by_user
            FROM tool_calls WHERE session_id = ${session} AND state IN ('asked', 'started')`
        )
        return {
          tasks: tasks.map((row) => row.task_id),
          calls: calls.map((row) => ({
            task: row.task_id,
            iteration: row.iteration,
            worker: WorkerPath.fromText(row.worker),
            callId: row.call_id,
            tool: row.tool,
            mayHaveHappened: row.may_have_happened === 1,
            byUser: row.by_user === 1
          }))
        }
      }),
      waiting: (limit) =>
        Effect.flatMap(
          waitingRows(
            sql`SELECT asked.session_id, asked.seq, session.project, asked.event -> '$.request' AS request
            FROM tasks AS task
            CROSS JOIN sessions AS session ON session.id = task.session_id
            CROSS JOIN events AS asked ON asked.session_id = task.session_id AND asked.task_id = task.task_id
              AND asked.tag IN ('ApprovalRequested', 'ApprovalResolved') AND asked.tag = 'ApprovalRequested'
            WHERE task.ended_at IS NULL AND NOT EXISTS (
              SELECT 1 FROM events AS resolved
              WHERE resolved.session_id = asked.session_id AND resolved.seq > asked.seq
                AND resolved.tag IN ('ApprovalRequested', 'ApprovalResolved') AND resolved.tag = 'ApprovalResolved'
                AND resolved.event ->> '$.approvalId' = asked.event ->> '$.request.id'
            )
            ORDER BY asked.time, asked.seq LIMIT ${limit}`
          ),
          (found) =>
            Effect.forEach(found, ({ project, request, seq, session_id: session }) =>
              Effect.mapBoth(Either.flatMap(json(request), decodeRequest), {
                onFailure: () => damaged(session, `event ${seq} cannot be read`),
                onSuccess: (request) => ({ project, request })
              })
            )
        ),
      answer: (session, commandId) =>
        Effect.flatMap(
          eventRows(
            // As the index of answers has them.
            sql`SELECT seq, time, tag, task_id, iteration, worker, event, NULL AS checksum FROM events
              WHERE session_id = ${session} AND event ->> '$.commandId' = ${commandId} AND tag IN (
      'CommandPerformed', 'CommandRejected', 'TaskQueued', 'ApprovalRevoked', 'ApprovalPolicySet', 'ModelSwitched',
      'SessionCreated', 'SessionResumed', 'SessionCleared', 'SessionEnded'
    ) ORDER BY seq LIMIT 1`
          ),
          ([row]) => (row === undefined ? Effect.succeedNone : Effect.map(envelopeOf(session, row), Option.some))
        ),
      hasTask: (session, task) =>
        Effect.map(
          taskRows(sql`SELECT task_id FROM tasks WHERE session_id = ${session} AND task_id = ${task}`),
          (found) => found.length > 0
        )
    })
  })
)
