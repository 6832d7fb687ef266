import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Database } from "../../src/database/Database.ts"
import * as Indexer from "../../src/search/Indexer.ts"
import { Search } from "../../src/search/Search.ts"
import * as SqlSearch from "../../src/search/SqlSearch.ts"
import * as StaticEmbeddings from "../../src/search/StaticEmbeddings.ts"
import { type Figure, figure } from "./Figure.ts"
import paraphrases from "./paraphrases.json" with { type: "json" }

/** Messages and what somebody asks for them in other words; written before they were first searched, and nothing is tuned to them. */
const languages: Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>> = paraphrases
const all = Object.values(languages).flat()

/** Hits among which a message counts as found. */
const limit = 10

const insert = `INSERT INTO events (session_id, seq, epoch, time, tag, worker, event)
  SELECT 's', e.key + 1, 1, 0, 'TaskStarted', 'root', json_object('_tag', 'TaskStarted', 'message',
    json_object('id', 'm', 'message', json_object('role', 'user', 'content', e.value))) FROM json_each(?) AS e`

const sides = ["text", "meaning", "both"] as const

/** How well messages are found by paraphrases among those of all languages: mean reciprocal rank and recall. */
export const relevance: Effect.Effect<ReadonlyArray<Figure>> = Effect.suspend(() => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-bench-"))
  const live = SqlSearch.layer.pipe(
    Layer.provideMerge(StaticEmbeddings.layer()),
    Layer.provideMerge(Database.layer(path.join(folder, "relevance.db")))
  )
  return Effect.gen(function* () {
    const { write } = yield* Database
    const { find } = yield* Search
    yield* write((connection) =>
      Effect.zipRight(
        connection.executeRaw(
          "INSERT INTO sessions (id, project, profile, created_at, updated_at, epoch, head) VALUES ('s', '', '', 0, 0, 1, ?)",
          [all.length]
        ),
        connection.executeRaw(insert, [JSON.stringify(all.map(([message]) => message))])
      )
    )
    const indexer = yield* Indexer.make("bench")
    yield* Effect.iterate(true, { while: (more) => more, body: () => indexer.step })
    const figures: Array<Figure> = []
    for (const [language, pairs] of Object.entries(languages)) {
      const from = all.indexOf(pairs[0]!) + 1
      for (const side of sides) {
        const ranks = yield* Effect.forEach(pairs, ([, query = ""], at) =>
          Effect.map(
            find({ query, limit, by: side === "both" ? undefined : side }),
            ({ hits }) => hits.findIndex(({ seq }) => seq === from + at) + 1
          )
        )
        const found = ranks.filter((rank) => rank > 0)
        const reciprocal = found.reduce((sum, rank) => sum + 1 / rank, 0) / ranks.length
        const recall = found.length / ranks.length
        const against = `recall among ${limit} hits, ${pairs.length} paraphrases`
        figures.push(figure(`search-${language.toLowerCase()}-${side}`, reciprocal, "MRR", recall, against, "stated"))
      }
    }
    return figures
  }).pipe(
    Effect.provide(live),
    Effect.orDie,
    Effect.ensuring(Effect.sync(() => fs.rmSync(folder, { recursive: true })))
  )
})
