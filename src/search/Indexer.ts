import type { SqlError } from "@effect/sql/SqlError"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Database } from "../database/Database.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import { fromCause } from "../database/DatabaseError.ts"
import { messageOf, withMessage } from "../database/messages.ts"
import { Text } from "../database/text.ts"
import type { EmbeddingFailed } from "./Embeddings.ts"
import { type Embedder, Embeddings } from "./Embeddings.ts"
import { quantized } from "./Vectors.ts"

/** Events, and bytes of them, that one step indexes: it holds up whoever else writes. */
const maxEvents = 100
const maxBytes = 256 * 1024
/** Characters of a message that count for what it means. */
const maxText = 4000
/** How long another process leaves the work to this one after its last step. */
const lease = Duration.seconds(30)

const BacklogRow = Schema.Struct({ session_id: Schema.String, seq: Schema.Number, bytes: Schema.Number })
const MessageRow = Schema.Struct({ id: Schema.Number, text: Schema.NullOr(Text) })
const StateRow = Schema.Struct({ model: Schema.String, until: Schema.Number, last: Schema.Number })

/** How far the indexes are. */
export interface Progress {
  /** Sessions of earlier versions whose messages have no index yet. */
  readonly sessions: number
  /** Messages that are found by meaning, and all of them. */
  readonly embedded: number
  readonly messages: number
}

export interface Indexer {
  /** Does a little of what is left; gives whether more is. Another process that is at it counts as nothing left. */
  readonly step: Effect.Effect<boolean, DatabaseError | EmbeddingFailed>
  readonly progress: Effect.Effect<Progress, DatabaseError>
  /** Leaves the work to others. */
  readonly release: Effect.Effect<void>
}

/**
 * The vectors of some texts; none for a text that the model refuses while it takes another of them: it would be asked for for ever,
 * and all behind it wait. Where it refuses each of them, the fault is not theirs.
 */
const vectorsOf = ({ embed }: Embedder, texts: ReadonlyArray<string>) =>
  Effect.catchIf(
    embed(texts),
    ({ isRefused }) => isRefused && texts.length > 1,
    (refusal) =>
      Effect.forEach(texts, (text) =>
        Effect.catchIf(
          Effect.map(embed([text]), ([vector]) => vector),
          ({ isRefused }) => isRefused,
          () => Effect.succeed(undefined)
        )
      ).pipe(
        Effect.filterOrFail(
          (vectors) => vectors.some((vector) => vector !== undefined),
          () => refusal
        )
      )
  )

/** The messages of some events of a session, from one number up to another; what is indexed already stays. */
const indexEvents = `INSERT OR IGNORE INTO messages (session_id, seq, role, tool, time)
  SELECT ${messageOf("events")} FROM events WHERE session_id = ? AND seq BETWEEN ? AND ? AND ${withMessage("events")}
  ORDER BY seq DESC`

/**
 * Indexes what the triggers of the database do not: messages of databases of earlier versions, the latest session first, and what
 * messages mean. `holder` names this process to the others: one works at a time.
 */
export const make = (holder: string): Effect.Effect<Indexer, never, Database | Embeddings> =>
  Effect.gen(function* () {
    const database = yield* Database
    const embedder = yield* Embeddings
    const sql = database.read
    const rows = <A, I>(schema: Schema.Schema<A, I>) => {
      const decode = Schema.decodeUnknown(Schema.Array(schema))
      return (statement: Effect.Effect<ReadonlyArray<unknown>, SqlError>) =>
        Effect.mapError(Effect.flatMap(statement, decode), (error) => fromCause(database.file, error))
    }
    const backlogRows = rows(BacklogRow)
    const messageRows = rows(MessageRow)
    const stateRows = rows(StateRow)

    /** Whether the work is this process's now. */
    const held = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.map(
        database.write((connection) =>
          connection.executeRaw(
            "UPDATE indexer SET holder = ?, held_until = ? WHERE holder IS NULL OR holder = ? OR held_until < ? OR held_until > ?",
            // A clock that was set back would otherwise hold it for long.
            [holder, now + Duration.toMillis(lease), holder, now, now + 2 * Duration.toMillis(lease)]
          )
        ),
        (result) => (result as { readonly changes: number }).changes > 0
      )
    )

    /** Indexes the last events of the latest session that has some left. */
    const earlier = Effect.gen(function* () {
      const found = yield* backlogRows(
        sql`SELECT unindexed.session_id, events.seq, octet_length(events.event) AS bytes
          FROM (
            SELECT session_id, until FROM unindexed
            LEFT JOIN sessions ON sessions.id = session_id ORDER BY sessions.updated_at DESC LIMIT 1
          ) AS unindexed
          LEFT JOIN events ON events.session_id = unindexed.session_id AND events.seq <= unindexed.until
          ORDER BY events.seq DESC LIMIT ${maxEvents}`.pipe(
          Effect.map((all) => all.map((row) => ({ ...row, seq: row["seq"] ?? 0, bytes: row["bytes"] ?? 0 })))
        )
      )
      const [latest] = found
      if (latest === undefined) return false
      let bytes = 0
      const some = found.filter((row, at) => (bytes += row.bytes) <= maxBytes || at === 0)
      const from = some.at(-1)?.seq ?? 0
      const { seq, session_id: session } = latest
      const isDone = from <= 1 || (some.length === found.length && found.length < maxEvents)
      yield* database.write((connection) =>
        Effect.zipRight(
          connection.executeRaw(indexEvents, [session, from, seq]),
          isDone
            ? connection.executeRaw("DELETE FROM unindexed WHERE session_id = ?", [session])
            : connection.executeRaw("UPDATE unindexed SET until = ? WHERE session_id = ?", [from - 1, session])
        )
      )
      return true
    })

    /** Embeds the next messages. */
    const meaning = Effect.gen(function* () {
      if (embedder === undefined) return false
      const { batch, model } = embedder
      const [state] = yield* stateRows(
        sql`SELECT model, until, (SELECT coalesce(max(id), 0) FROM messages) AS last FROM indexer`
      )
      const until = state?.model === model ? state.until : 0
      if (state === undefined || until >= state.last) return false
      const found = yield* messageRows(
        sql`SELECT id, json_quote(substr(text, 1, ${maxText})) AS text FROM message_texts
          WHERE id > ${until} ORDER BY id LIMIT ${batch}`
      )
      const last = found.length < batch ? state.last : found[found.length - 1]!.id
      const told = found.flatMap(({ id, text }) => (text === null || !/[\p{L}\p{N}]/u.test(text) ? [] : [{ id, text }]))
      const vectors =
        told.length === 0
          ? []
          : yield* vectorsOf(
              embedder,
              told.map(({ text }) => text)
            )
      yield* database.write((connection) =>
        Effect.forEach(told, ({ id }, at) => {
          const vector = quantized(vectors[at] ?? new Float32Array())
          // A message that was deleted meanwhile gets none.
          return vector === undefined
            ? connection.executeRaw("DELETE FROM vectors WHERE message_id = ?", [id])
            : connection.executeRaw(
                "INSERT OR REPLACE INTO vectors (message_id, model, dimensions, vector) SELECT id, ?, ?, ? FROM messages WHERE id = ?",
                [model, vector.length, new Uint8Array(vector.buffer), id]
              )
        }).pipe(Effect.zipRight(connection.executeRaw("UPDATE indexer SET model = ?, until = ?", [model, last])))
      )
      return true
    })

    const left = Effect.map(
      rows(Schema.Struct({ pending: Schema.Number }))(
        sql`SELECT EXISTS (SELECT 1 FROM unindexed) OR (
          ${embedder === undefined ? 0 : 1} AND (SELECT model <> ${embedder?.model ?? ""} OR until < (SELECT coalesce(max(id), 0) FROM messages) FROM indexer)
        ) AS pending`
      ),
      ([row]) => row?.pending === 1
    )

    return {
      step: Effect.gen(function* () {
        if (!(yield* left) || !(yield* held)) return false
        return (yield* earlier) || (yield* meaning)
      }),
      progress: Effect.map(
        rows(
          Schema.Struct({
            sessions: Schema.Number,
            messages: Schema.Number,
            model: Schema.String,
            until: Schema.Number
          })
        )(
          sql`SELECT (SELECT count(*) FROM unindexed) AS sessions, (SELECT coalesce(max(id), 0) FROM messages) AS messages, model, until FROM indexer`
        ),
        ([row]) => ({
          sessions: row?.sessions ?? 0,
          messages: row?.messages ?? 0,
          embedded: row?.model === embedder?.model ? (row?.until ?? 0) : 0
        })
      ),
      release: Effect.ignore(
        database.write((connection) =>
          connection.executeRaw("UPDATE indexer SET holder = NULL, held_until = 0 WHERE holder = ?", [holder])
        )
      )
    }
  })
