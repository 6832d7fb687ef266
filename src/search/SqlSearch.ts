import type { SqlError } from "@effect/sql/SqlError"
import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as crypto from "node:crypto"
import { Database } from "../database/Database.ts"
import { fromCause } from "../database/DatabaseError.ts"
import { Text } from "../database/text.ts"
import { approvalText } from "./approvalText.ts"
import { Embeddings } from "./Embeddings.ts"
import * as FullText from "./FullText.ts"
import { fuse } from "./fuse.ts"
import { isBlank, parse } from "./Query.ts"
import { type Found, type Hit, Search, SearchFailed, SearchInvalid, type SearchOptions } from "./Search.ts"
import { fromMarked, fromText, markers, type Snippet } from "./Snippet.ts"
import * as Vectors from "./Vectors.ts"

const maxHits = 100
const usualHits = 20
/** Ranks that are fused for each hit that is wanted. */
const depth = 3

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
  title: Text,
  rewound: Schema.Number,
  approval: Schema.NullOr(Text)
})
const TextRow = Schema.Struct({ id: Schema.Number, text: Schema.NullOr(Text) })
const decodeText = Schema.decodeUnknownOption(Text)
const PendingRow = Schema.Struct({
  sessions: Schema.Number,
  model: Schema.String,
  until: Schema.Number,
  last: Schema.Number
})

/** The JSON of a message by which an approval is asked for or answered; nothing of any other. */
const approval = `CASE WHEN events.tag <> 'MessageRecorded' OR NOT json_valid(events.event) THEN NULL
  WHEN events.event ->> '$.message.message.tool_calls[0].function.name' = 'client.requestApproval'
    THEN json_quote(events.event ->> '$.message.message.tool_calls[0].function.arguments')
  WHEN events.event ->> '$.message.message.role' = 'tool'
    AND events.event ->> '$.message.message.content' LIKE '{"decision":%,"outcome":%,"by":%'
    THEN json_quote(events.event ->> '$.message.message.content') END`

const idsOf = (ranked: ReadonlyArray<{ readonly id: number }>): ReadonlyArray<number> => ranked.map(({ id }) => id)

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

  /** The beginnings of messages, by their ids. */
  const textsOf = (ids: ReadonlyArray<number>, length: number) =>
    Effect.map(
      textRows(sql`SELECT message_texts.id AS id, json_quote(substr(text, 1, ${length})) AS text
        FROM json_each(${JSON.stringify(ids)}) AS wanted CROSS JOIN message_texts ON message_texts.id = wanted.value`),
      (rows) => new Map(rows.map(({ id, text }) => [id, text ?? ""]))
    )

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
          ? [`${last - embedded} of ${last} messages are found by their words alone so far`]
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
    const marks = markers(crypto.randomBytes(8).toString("hex"))
    const said: globalThis.Array<string> = []
    const inText =
      by === "meaning"
        ? []
        : yield* read(FullText.rank(sql, { query, filter, limit: isFused ? wanted * depth : wanted, markers: marks }))
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
    const byText = idsOf(inText)
    const best = fuse(isFused ? [byText, inMeaning] : [by === "meaning" ? inMeaning : byText])
      .filter(({ score }) => score >= minScore)
      .slice(0, wanted)
    const rows = new Map(
      (yield* hitRows(
        sql`SELECT messages.id, session_id, seq, role, tool, time, sessions.project, json_quote(sessions.title) AS title,
          EXISTS (
            SELECT 1 FROM events WHERE events.session_id = messages.session_id AND events.tag IN ('SessionRewound')
              AND events.seq > messages.seq AND events.event ->> '$.to' <= messages.seq
          ) AS rewound, (SELECT ${sql.literal(approval)} FROM events
            WHERE events.session_id = messages.session_id AND events.seq = messages.seq) AS approval
          FROM json_each(${JSON.stringify(idsOf(best))}) AS wanted
          CROSS JOIN messages ON messages.id = wanted.value JOIN sessions ON sessions.id = messages.session_id`
      )).map((row) => [row.id, row] as const)
    )
    const matches = new Map(inText.map((match) => [match.id, match]))
    const near = new Set(inMeaning)
    const unmarked = best.filter(({ id }) => matches.get(id)?.marked == null)
    const [plain, like] = Array.partition(unmarked, ({ id }) => matches.has(id))
    const texts = new Map([
      ...(yield* textsOf(idsOf(plain), beginning)),
      ...(like.length === 0 ? [] : yield* textsOf(idsOf(like), maxText))
    ])
    const snippetOf = (id: number, approval: string | null): Snippet => {
      const match = matches.get(id)
      if (approval !== null) return fromText(approvalText(approval), [...query.runs, ...query.words])
      const marked = Option.flatMap(Option.fromNullable(match?.marked), decodeText)
      return Option.isSome(marked)
        ? fromMarked(marked.value, marks)
        : fromText(texts.get(id) ?? "", match === undefined ? [] : [...query.runs, ...query.words])
    }
    const hits = best.flatMap(({ id, score }): ReadonlyArray<Hit> => {
      const row = rows.get(id)
      if (row === undefined) return []
      const { approval, project, rewound, role, seq, session_id: session, time, title, tool } = row
      const side = !matches.has(id) ? "meaning" : near.has(id) ? "both" : "text"
      const hit: Hit = { session, seq, project, title, role, time, score, by: side, snippet: snippetOf(id, approval) }
      return [{ ...hit, ...(tool === null ? {} : { tool }), ...(rewound === 0 ? {} : { rewound: true }) }]
    })
    return { hits, notes: [...said, ...(yield* notes)] } satisfies Found
  })
  return Search.of({ find })
})

/** Searches the messages of the database. */
export const layer: Layer.Layer<Search, never, Database | Embeddings> = Layer.effect(Search, make)
