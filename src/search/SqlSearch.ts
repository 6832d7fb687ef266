import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as crypto from "node:crypto"
import { Database } from "../database/Database.ts"
import { fromCause } from "../database/DatabaseError.ts"
import { Text } from "../database/text.ts"
import { Embeddings } from "./Embeddings.ts"
import * as FullText from "./FullText.ts"
import { fuse } from "./fuse.ts"
import { isBlank, parse, type Query } from "./Query.ts"
import { type Found, type Hit, Search, SearchFailed, SearchInvalid, type SearchOptions } from "./Search.ts"
import { fromMarked, fromText, markers, type Snippet } from "./Snippet.ts"
import * as Vectors from "./Vectors.ts"

const maxHits = 100
const usualHits = 20
/** Ranks that are fused for each hit that is wanted. */
const depth = 3

/** Tokens of a snippet: words, or characters where trigrams are looked up. */
const snippetTokens = { messages_words: 24, messages_trigrams: 60 } as const

/** Characters of a message in which a hit is looked for to show it. */
const maxText = 2 ** 30
/** Characters of a message that is shown without a hit in it. */
const beginning = 400

const HitRow = Schema.Struct({
  id: Schema.Number,
  session_id: Schema.String,
  seq: Schema.Number,
  role: Schema.Literal("user", "assistant", "tool", "system"),
  tool: Schema.NullOr(Schema.String),
  time: Schema.Number,
  project: Schema.String,
  title: Text
})
const TextRow = Schema.Struct({ text: Schema.NullOr(Text) })
const PendingRow = Schema.Struct({
  sessions: Schema.Number,
  model: Schema.String,
  until: Schema.Number,
  last: Schema.Number
})

const make = Effect.gen(function* () {
  const database = yield* Database
  const embedder = yield* Embeddings
  const sql = database.read
  const vectors = Vectors.make(sql)
  const failed = (error: { readonly message: string }) => new SearchFailed({ reason: error.message })
  const read = <A>(statement: Effect.Effect<A, SqlError>) =>
    Effect.mapError(statement, (error) => failed(fromCause(database.file, error)))
  const decoded = <A, I>(schema: Schema.Schema<A, I>) => {
    const decode = Schema.decodeUnknown(Schema.Array(schema))
    return (statement: Effect.Effect<ReadonlyArray<unknown>, SqlError>) =>
      Effect.flatMap(read(statement), (rows) => Effect.mapError(decode(rows), failed))
  }
  const hitRows = decoded(HitRow)
  const textRows = decoded(TextRow)
  const pendingRows = decoded(PendingRow)

  const textOf = (id: number, length: number) =>
    Effect.map(
      textRows(sql`SELECT json_quote(substr(text, 1, ${length})) AS text FROM message_texts WHERE id = ${id}`),
      ([row]) => row?.text ?? ""
    )
  const marked = (id: number, { index, match }: FullText.TextMatch["lookup"]) => {
    const marks = markers(crypto.randomBytes(8).toString("hex"))
    const name = sql.literal(index)
    return Effect.map(
      textRows(
        sql`SELECT json_quote(snippet(${name}, 0, ${marks.open}, ${marks.close}, '…', ${snippetTokens[index]})) AS text
          FROM ${name} WHERE ${name} MATCH ${match} AND rowid = ${id}`
      ),
      ([row]) => fromMarked(row?.text ?? "", marks)
    )
  }
  const snippetOf = (
    id: number,
    match: FullText.TextMatch | undefined,
    { runs, words }: Query
  ): Effect.Effect<Snippet, SearchFailed> =>
    match === undefined
      ? Effect.map(textOf(id, beginning), (text) => fromText(text, []))
      : match.lookup.match === undefined
        ? Effect.map(textOf(id, maxText), (text) => fromText(text, [...runs, ...words]))
        : marked(id, match.lookup)

  /** What was not searched. */
  const notes = Effect.map(
    pendingRows(
      sql`SELECT (SELECT count(*) FROM unindexed) AS sessions, model, until, (SELECT coalesce(max(id), 0) FROM messages) AS last FROM indexer`
    ),
    ([row]) => {
      if (row === undefined) return []
      const { last, model, sessions, until } = row
      const embedded = model === embedder?.model ? until : 0
      return [
        ...(sessions > 0
          ? [`${sessions} earlier ${sessions === 1 ? "session is" : "sessions are"} still being indexed`]
          : []),
        ...(embedder !== undefined && last > embedded
          ? [`${last - embedded} of ${last} messages are not yet found by meaning`]
          : [])
      ]
    }
  )

  const find = Effect.fn("Search.find")(function* (options: SearchOptions) {
    const { by, limit = usualHits, minScore = 0, query: text, ...filter } = options
    const query = parse(text)
    if (isBlank(query)) {
      return yield* new SearchInvalid({ reason: "the query has no letters or digits. Give words to look for." })
    }
    const wanted = Math.max(1, Math.min(Math.trunc(limit), maxHits))
    const isFused = by === undefined && embedder !== undefined
    const said: Array<string> = []
    const inText =
      by === "meaning" ? [] : yield* read(FullText.rank(sql, query, filter, isFused ? wanted * depth : wanted))
    const inMeaning =
      by === "text" || embedder === undefined
        ? []
        : yield* embedder.embed([text]).pipe(
            Effect.flatMap(([vector]) =>
              vector === undefined
                ? Effect.succeed([])
                : read(vectors.nearest(vector, embedder, filter, isFused ? wanted * depth : wanted))
            ),
            Effect.catchTag("EmbeddingFailed", (error) => {
              said.push(`searched by text alone: ${error.message}`)
              return Effect.succeed([])
            })
          )
    const byText = inText.map(({ id }) => id)
    const best = fuse(isFused ? [byText, inMeaning] : [by === "meaning" ? inMeaning : byText])
      .filter(({ score }) => score >= minScore)
      .slice(0, wanted)
    const rows = new Map(
      (yield* hitRows(
        sql`SELECT messages.id, session_id, seq, role, tool, time, sessions.project, json_quote(sessions.title) AS title
          FROM json_each(${JSON.stringify(best.map(({ id }) => id))}) AS wanted
          CROSS JOIN messages ON messages.id = wanted.value JOIN sessions ON sessions.id = messages.session_id`
      )).map((row) => [row.id, row] as const)
    )
    const matches = new Map(inText.map((match) => [match.id, match]))
    const near = new Set(inMeaning)
    const hits = yield* Effect.forEach(best, ({ id, score }) => {
      const row = rows.get(id)
      if (row === undefined) return Effect.succeed([])
      const { project, role, seq, session_id: session, time, title, tool } = row
      const match = matches.get(id)
      const side = match === undefined ? ("meaning" as const) : near.has(id) ? ("both" as const) : ("text" as const)
      return Effect.map(snippetOf(id, match, query), (snippet): ReadonlyArray<Hit> => [
        { session, seq, project, title, role, time, score, by: side, snippet, ...(tool === null ? {} : { tool }) }
      ])
    })
    return { hits: hits.flat(), notes: [...said, ...(yield* notes)] } satisfies Found
  })
  return Search.of({ find })
})

/** Searches the messages of the database. */
export const layer: Layer.Layer<Search, never, Database | Embeddings> = Layer.effect(Search, make)
