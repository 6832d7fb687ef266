// `npm run bench -- search [--messages N]`: 100,000 messages unless said otherwise.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { performance } from "node:perf_hooks"
import { Database } from "../../src/database/Database.ts"
import { driver } from "../../src/database/driver/load.ts"
import type { Embeddings } from "../../src/search/Embeddings.ts"
import * as Indexer from "../../src/search/Indexer.ts"
import { lookups, parse } from "../../src/search/Query.ts"
import { Search } from "../../src/search/Search.ts"
import * as SqlSearch from "../../src/search/SqlSearch.ts"
import * as StaticEmbeddings from "../../src/search/StaticEmbeddings.ts"
import { bundled } from "../../src/search/WordTable.ts"
import { type Figure, figure } from "./Figure.ts"
import { relevance } from "./relevance.ts"

/** Vectors of the search by both. */
const maxVectors = 200_000
const queries = 100
const limit = 20

/** The words of the table, the most frequent first. */
const vocabulary = (): ReadonlyArray<string> => {
  const content = fs.readFileSync(bundled())
  const head = 4 + content.readUInt32LE(0)
  const { wordBytes }: { wordBytes: number } = JSON.parse(content.toString("utf8", 4, head))
  return content.toString("utf8", head, head + wordBytes).split("\n")
}

/** The same numbers from 0 to 1 each time. */
const numbers = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) | 0
  return (seed >>> 0) / 2 ** 32
}

/** Texts of 10 to 60 words, as frequent as words are. */
const texts = (words: ReadonlyArray<string>, next: () => number) => () =>
  Array.from({ length: 10 + Math.floor(next() * 50) }, () => words[Math.floor(words.length ** next())] ?? "").join(" ")

const insert = `INSERT INTO events (session_id, seq, epoch, time, tag, worker, event)
  SELECT ?, e.value ->> 0, 1, e.value ->> 0, ?, 'root', e.value ->> 1 FROM json_each(?) AS e`

/** Stores messages in sessions of 1,000 each, a batch of 100 at a time; `tag` says whether they are indexed. */
const fill = (count: number, tag: string, session: string, text: () => string) =>
  Effect.gen(function* () {
    const { write } = yield* Database
    const start = performance.now()
    let spent = 0
    for (let from = 0; from < count; from += 1000) {
      const id = `${session}${from}`
      yield* write((connection) =>
        connection.executeRaw(
          "INSERT INTO sessions (id, project, profile, created_at, updated_at, epoch, head) VALUES (?, '/bench', '', 0, 0, 1, 1000)",
          [id]
        )
      )
      for (let first = 1; first <= 1000; first += 100) {
        const begun = performance.now()
        const rows = Array.from({ length: 100 }, (_, at) => {
          const message = { id: "m", message: { role: "user", content: text() } }
          return [first + at, JSON.stringify({ _tag: tag, message })]
        })
        const batch = JSON.stringify(rows)
        spent += performance.now() - begun
        yield* write((connection) => connection.executeRaw(insert, [id, tag, batch]))
      }
    }
    return performance.now() - start - spent
  })

const p95 = (millis: ReadonlyArray<number>): number =>
  millis.toSorted((one, other) => one - other)[Math.floor(millis.length * 0.95)] ?? 0

const timed = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const start = performance.now()
    return Effect.map(self, () => performance.now() - start)
  })

/** The least of three, for the machine does other things as well. */
const least = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.replicateEffect(timed(self), 3), (millis) => Math.min(...millis))

/** The same looks, rows and snippets as statements of the driver. */
const bare = (file: string) =>
  Effect.map(driver, ({ open }) => {
    const handle = open(file, { readonly: true, timeout: 5000 })
    const one = (index: string) =>
      handle.prepare(`SELECT messages.id, messages.session_id, messages.seq, messages.role, messages.tool, messages.time,
          sessions.project, sessions.title, snippet(${index}, 0, '<', '>', '…', 24) AS snippet
        FROM ${index} JOIN messages ON messages.id = ${index}.rowid JOIN sessions ON sessions.id = messages.session_id
        WHERE ${index} MATCH ? ORDER BY ${index}.rank LIMIT ${limit}`)
    const statements = { messages_words: one("messages_words"), messages_trigrams: one("messages_trigrams") }
    return (query: string): void => {
      let found = 0
      for (const { index, match } of lookups(parse(query))) {
        if (found < limit && match !== undefined) found += statements[index].all([match]).length
      }
    }
  })

const bytes = (file: string): number =>
  ["", "-wal"].reduce((sum, end) => sum + (fs.statSync(`${file}${end}`, { throwIfNoEntry: false })?.size ?? 0), 0)

/** Figures of a search in so many messages, and how well it finds paraphrases. */
export const searching = (messages: number): Effect.Effect<ReadonlyArray<Figure>> =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-bench-"))),
      (made) => Effect.sync(() => fs.rmSync(made, { recursive: true }))
    )
    const words = vocabulary()
    const query = (() => {
      const next = numbers(11)
      return () =>
        Array.from({ length: 2 + Math.floor(next() * 2) }, () => words[50 + Math.floor(next() * 3000)] ?? "").join(" ")
    })()
    const asked = Array.from({ length: queries }, query)
    const within = <A, E>(name: string, self: Effect.Effect<A, E, Search | Database | Embeddings>) => {
      const live = SqlSearch.layer.pipe(
        Layer.provideMerge(StaticEmbeddings.layer()),
        Layer.provideMerge(Database.layer(path.join(folder, name)))
      )
      return Effect.provide(self, live)
    }

    const plain = yield* within(
      "plain.db",
      Effect.gen(function* () {
        const millis = yield* fill(messages, "ModelRequested", "s", texts(words, numbers(1)))
        return { millis, size: bytes((yield* Database).file) }
      })
    )
    const text = yield* within(
      "text.db",
      Effect.gen(function* () {
        const { file } = yield* Database
        const { find } = yield* Search
        const millis = yield* fill(messages, "TaskStarted", "s", texts(words, numbers(1)))
        const size = bytes(file)
        const driven = yield* bare(file)
        const own: Array<number> = []
        const reference: Array<number> = []
        for (const query of asked) {
          own.push(yield* least(find({ query, limit, by: "text" })))
          reference.push(yield* least(Effect.sync(() => driven(query))))
        }
        return { millis, size, own: p95(own), reference: p95(reference) }
      })
    )
    const vectors = Math.min(messages, maxVectors)
    const both = yield* within(
      "both.db",
      Effect.gen(function* () {
        const { find } = yield* Search
        yield* fill(vectors, "TaskStarted", "s", texts(words, numbers(1)))
        const indexer = yield* Indexer.make("bench")
        const millis = yield* timed(Effect.iterate(true, { while: (more) => more, body: () => indexer.step }))
        yield* find({ query: "warm" })
        const ask = (by?: "text" | "meaning") =>
          Effect.map(
            Effect.forEach(asked, (query) => least(find({ query, limit, by }))),
            p95
          )
        return { millis, hybrid: yield* ask(), meaning: yield* ask("meaning") }
      })
    )
    const rate = (count: number, millis: number) => (count * 1000) / millis
    const mebibytes = 1024 * 1024
    const size = `${messages.toLocaleString("en")} messages`
    return [
      figure(
        "search-store",
        rate(messages, text.millis),
        "messages/s",
        rate(messages, plain.millis),
        "stored without an index",
        "stated"
      ),
      figure("search-size", text.size / mebibytes, "MiB", plain.size / mebibytes, `${size} without an index`, "stated"),
      figure("search-text-p95", text.own, "ms", text.reference, `the same looks by the driver, ${size}`, "≤ 1.2×"),
      figure(
        "search-embed",
        rate(vectors, both.millis),
        "messages/s",
        rate(messages, text.millis),
        "stored with the text index",
        "stated"
      ),
      figure(
        "search-both-p95",
        both.hybrid,
        "ms",
        both.meaning,
        `by meaning alone, ${vectors.toLocaleString("en")} vectors`,
        "≤ 60 ms"
      ),
      ...(yield* relevance)
    ]
  }).pipe(Effect.scoped, Effect.orDie)
