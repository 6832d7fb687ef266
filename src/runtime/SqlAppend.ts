import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { asJson } from "../database/text.ts"
import { memo } from "../system/memo.ts"
import * as Pace from "../system/Pace.ts"
import * as WorkerPath from "../tool/WorkerPath.ts"
import * as Checksum from "./Checksum.ts"
import type { Envelope } from "./Envelope.ts"
import type { Open, Projection } from "./Projection.ts"
import type { Lease } from "./SessionStore.ts"

/** Events, and characters of them, that one statement stores: it holds the event loop. */
const maxEvents = 1000
const maxText = 256 * 1024
/** Events of another session that are read at once. */
const page = 200

/** One statement for batches of any size: a JSON array with one array of columns for each event. */
const insertEvents = (tag = "e.value ->> 2") => `
  INSERT INTO events (session_id, seq, epoch, time, tag, task_id, iteration, worker, event, checksum)
  SELECT owner.id, e.value ->> 0, owner.epoch, e.value ->> 1, ${tag}, e.value ->> 3, e.value ->> 4,
    e.value ->> 5, e.value ->> 6, e.value ->> 7
  FROM sessions AS owner, json_each(?) AS e
  WHERE owner.id = ? AND owner.epoch = ?`

const insertNew = insertEvents()

/** What is copied is found where it was said: the triggers of the index know no such tag, and none fires where it becomes the right one. */
const insertCopied = insertEvents("'=' || (e.value ->> 2)")
const tagCopied = "UPDATE events SET tag = substr(tag, 2) WHERE session_id = ? AND seq BETWEEN ? AND ?"

const updateSession = `
  UPDATE sessions SET head = ?, updated_at = ?, title = ? ->> '$', profile = ? ->> '$', status = ?, waits = ?, open = ?
  WHERE id = ? AND epoch = ?`

const selectEvents = `
  SELECT seq, time, tag, task_id, iteration, worker, event, NULL AS checksum FROM events
  WHERE session_id = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?`

const stored = ({ event, iteration, seq, task, time, worker }: Envelope): Checksum.NewEvent => ({
  seq,
  time,
  tag: event._tag === "UnknownEvent" ? event.tag : event._tag,
  task_id: task ?? null,
  iteration: iteration ?? null,
  worker: worker === undefined ? null : WorkerPath.toText(worker),
  event: JSON.stringify(event)
})

const storedAll = function* (events: Iterable<Envelope>): Generator<Checksum.NewEvent> {
  for (const event of events) yield stored(event)
}

/** The JSON of a batch; its first event carries the checksum of all. */
const batchOf = (rows: ReadonlyArray<Checksum.NewEvent>): string => {
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

const batchesOf = function* (rows: Iterable<Checksum.NewEvent>): Generator<string> {
  let batch: Array<Checksum.NewEvent> = []
  let size = 0
  for (const row of rows) {
    batch.push(row)
    size += row.event.length
    if (batch.length < maxEvents && size < maxText) continue
    yield batchOf(batch)
    batch = []
    size = 0
  }
  if (batch.length > 0) yield batchOf(batch)
}

/** Stores events where the lease has the epoch of its session, and gives how many; others run between batches. */
const insert = (
  connection: Connection,
  { epoch, session }: Lease,
  rows: Iterable<Checksum.NewEvent>,
  pace: Effect.Effect<void>,
  statement = insertNew
): Effect.Effect<number, SqlError> => {
  const batches = batchesOf(rows)
  const next = (changes: number): Effect.Effect<number, SqlError> => {
    const batch = batches.next()
    if (batch.done === true) return Effect.succeed(changes)
    return Effect.flatMap(connection.executeRaw(statement, [batch.value, session, epoch]), (result) =>
      Effect.zipRight(
        pace,
        Effect.suspend(() => next(changes + (result as { readonly changes: number }).changes))
      )
    )
  }
  return Effect.suspend(() => next(0))
}

/** What is open stays the same over most events. */
const textOf = memo(new WeakMap<Open, string>(), (open) => JSON.stringify(open))

const update = (connection: Connection, { epoch, session }: Lease, { open, summary }: Projection) => {
  const { head, profile, status, title, updatedAt } = summary
  return connection.executeRaw(updateSession, [
    head,
    updatedAt,
    asJson(title),
    asJson(profile),
    status,
    open.requests.length,
    textOf(open),
    session,
    epoch
  ])
}

/** Appends events, and what the log comes to by then; gives how many were stored. */
export const append = (
  connection: Connection,
  lease: Lease,
  events: ReadonlyArray<Envelope>,
  projection: Projection
): Effect.Effect<number, SqlError> =>
  Effect.zipLeft(insert(connection, lease, storedAll(events), Pace.make()), update(connection, lease, projection))

const decodeRows = Schema.decodeUnknown(Schema.Array(Checksum.StoredEvent))

/** An event without the id of the command that it answered. */
const unanswering = (event: string): string => {
  if (!event.includes('"commandId"')) return event
  const { commandId: _, ...rest } = JSON.parse(event) as { readonly commandId?: unknown }
  return JSON.stringify(rest)
}

/** Copies the first events of another session, page by page, and appends some behind them; gives how many were stored. */
export const copy = (
  connection: Connection,
  lease: Lease,
  origin: { readonly session: string; readonly last: number },
  events: ReadonlyArray<Envelope>,
  projection: Projection
): Effect.Effect<number, SqlError> =>
  Effect.gen(function* () {
    const pace = Pace.make()
    let copied = 0
    let cursor = 0
    while (cursor < origin.last) {
      const found = yield* connection.execute(selectEvents, [origin.session, cursor, origin.last, page], undefined)
      const rows = yield* Effect.orDie(decodeRows(found))
      const first = cursor + 1
      const last = rows[rows.length - 1]?.seq
      if (last === undefined) break
      cursor = last
      const given = rows.map((row) => ({ ...row, event: unanswering(row.event) }))
      copied += yield* insert(connection, lease, given, pace, insertCopied)
      yield* connection.executeRaw(tagCopied, [lease.session, first, last])
    }
    return copied + (yield* append(connection, lease, events, projection))
  })
