import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Database } from "../database/Database.ts"
import { fromCause } from "../database/DatabaseError.ts"
import { asJson, Text } from "../database/text.ts"
import { type MemoryEntry, MemoryKind, MemoryMetadata, MemoryScope, type MemoryViewer } from "./MemoryEntry.ts"
import { MemoryFailed } from "./MemoryError.ts"
import { maxEntries, type MemoryStore } from "./MemoryStore.ts"
import type { Word } from "./Relevance.ts"

const EntryRow = Schema.Struct({
  id: Schema.Number,
  scope: MemoryScope,
  session_id: Schema.String,
  project: Schema.String,
  kind: MemoryKind,
  text: Text,
  metadata: Schema.parseJson(MemoryMetadata),
  created_at: Schema.Number
})
const FoundRow = Schema.Struct({ ...EntryRow.fields, relevance: Schema.Number })
const VectorRow = Schema.Struct({ ...EntryRow.fields, vector: Schema.NullOr(Schema.Uint8ArrayFromSelf) })
const IdRow = Schema.Struct({ id: Schema.Number })

const entryOf = ({ created_at, session_id, ...row }: typeof EntryRow.Type): MemoryEntry => ({
  ...row,
  sessionId: session_id,
  createdAt: created_at
})

/** Where a session's entries of a scope lie: `?` are the scope and the session. */
const place = "(SELECT CASE ? WHEN 'project' THEN project ELSE id END FROM sessions WHERE id = ?)"

const insert = `
  INSERT INTO memories (scope, session_id, project, text, created_at, kind, fingerprint, metadata)
  SELECT ?, id, project, ? ->> '$', ?, ?, ? ->> '$', ? FROM sessions WHERE id = ? ON CONFLICT DO NOTHING RETURNING id`

const columns = "memories.id, scope, session_id, project, kind, json_quote(memories.text) AS text, metadata, created_at"

const same = `SELECT ${columns} FROM memories WHERE scope = ? AND place = ${place} AND (fingerprint = ? ->> '$' OR text = ? ->> '$')`

const crowded = `
  DELETE FROM memories WHERE id IN (
    SELECT id FROM memories WHERE scope = ? AND place = ${place} ORDER BY id DESC LIMIT -1 OFFSET ${maxEntries}
  )`

/** A quoted word is plain text for FTS5; the word contains no quotes. */
const phrase = ({ isBeginning, text }: Word): string => `"${text}"${isBeginning ? "*" : ""}`

/** Entries in the table `memories`, found by its index. */
export const make: Effect.Effect<MemoryStore, never, Database> = Effect.map(Database, (database) => {
  const sql = database.read
  const failed = (error: { readonly message: string }) => new MemoryFailed({ reason: error.message })
  const changed = () => failed({ message: `an entry in ${database.file} was changed by another program.` })
  const decoded = <A, I>(schema: Schema.Schema<A, I>) => {
    const decode = Schema.decodeUnknown(Schema.Array(schema))
    return (rows: ReadonlyArray<unknown>) => Effect.mapError(decode(rows), changed)
  }
  const entries = decoded(EntryRow)
  const found = decoded(FoundRow)
  const withVectors = decoded(VectorRow)
  const ids = decoded(IdRow)
  const read = (statement: Effect.Effect<ReadonlyArray<unknown>, SqlError>) =>
    Effect.mapError(statement, (error) => failed(fromCause(database.file, error)))
  const seenBy = (viewer: MemoryViewer) =>
    "project" in viewer
      ? sql`memories.project = ${viewer.project}`
      : sql`(
          (memories.scope = 'session' AND memories.place = ${viewer.sessionId})
          OR (memories.scope = 'project'
            AND memories.place = (SELECT project FROM sessions WHERE id = ${viewer.sessionId}))
        )`

  return {
    keep: Effect.fn("Memory.keep")(function* ({ createdAt, fingerprint, kind, metadata, scope, sessionId, text }) {
      const [added, rows] = yield* Effect.mapError(
        database.write((connection) =>
          Effect.gen(function* () {
            const values = [
              scope,
              asJson(text),
              createdAt,
              kind,
              asJson(fingerprint),
              JSON.stringify(metadata),
              sessionId
            ]
            const added = yield* connection.execute(insert, values, undefined)
            if (added.length > 0) yield* connection.executeRaw(crowded, [scope, scope, sessionId])
            return [
              added.length > 0,
              yield* connection.execute(same, [scope, scope, sessionId, asJson(fingerprint), asJson(text)], undefined)
            ] as const
          })
        ),
        failed
      )
      const [row] = yield* entries(rows)
      return row === undefined ? undefined : { entry: entryOf(row), added }
    }),
    search: (viewer, words, limit) =>
      words.length === 0
        ? Effect.succeed([])
        : read(
            sql`SELECT ${sql.literal(columns)}, -bm25(memories_index) AS relevance
              FROM memories_index CROSS JOIN memories ON memories.id = memories_index.rowid
              WHERE memories_index MATCH ${words.map(phrase).join(" OR ")} AND ${seenBy(viewer)}
              ORDER BY relevance DESC, memories.id DESC LIMIT ${limit}`
          ).pipe(
            Effect.flatMap(found),
            Effect.map((rows) => rows.map(({ relevance, ...row }) => ({ entry: entryOf(row), relevance })))
          ),
    list: (viewer, limit, before = Number.MAX_SAFE_INTEGER) =>
      read(
        sql`SELECT ${sql.literal(columns)} FROM memories WHERE ${seenBy(viewer)} AND id < ${before} ORDER BY id DESC LIMIT ${limit}`
      ).pipe(
        Effect.flatMap(entries),
        Effect.map((rows) => rows.map(entryOf))
      ),
    vectors: (viewer, model) =>
      read(
        sql`SELECT ${sql.literal(columns)}, vector FROM memories
          LEFT JOIN memory_vectors ON memory_vectors.memory_id = memories.id AND memory_vectors.model = ${model}
          WHERE ${seenBy(viewer)} ORDER BY memories.id DESC LIMIT ${2 * maxEntries}`
      ).pipe(
        Effect.flatMap(withVectors),
        Effect.map((rows) =>
          rows.map(({ vector, ...row }) => ({
            entry: entryOf(row),
            vector: vector === null ? undefined : new Int8Array(vector.buffer, vector.byteOffset, vector.length)
          }))
        )
      ),
    keepVectors: (model, vectors) =>
      database
        .write((connection) =>
          Effect.forEach(
            vectors,
            ({ id, vector }) =>
              connection.executeRaw(
                "INSERT OR REPLACE INTO memory_vectors (memory_id, model, vector) SELECT id, ?, ? FROM memories WHERE id = ?",
                [model, new Uint8Array(vector.buffer, vector.byteOffset, vector.length), id]
              ),
            { discard: true }
          )
        )
        .pipe(Effect.mapError(failed)),
    find: (id) =>
      read(sql`SELECT ${sql.literal(columns)} FROM memories WHERE id = ${id}`).pipe(
        Effect.flatMap(entries),
        Effect.map(([row]) => (row === undefined ? undefined : entryOf(row)))
      ),
    forget: Effect.fn("Memory.forget")((id: number) =>
      database
        .write((connection) => connection.execute("DELETE FROM memories WHERE id = ? RETURNING id", [id], undefined))
        .pipe(
          Effect.mapError(failed),
          Effect.flatMap(ids),
          Effect.map((rows) => rows.length > 0)
        )
    )
  }
})
