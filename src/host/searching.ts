import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Configuration } from "../config/Configuration.ts"
import { Database } from "../database/Database.ts"
import { indexBehind } from "../search/indexBehind.ts"
import { Search, SearchFailed } from "../search/Search.ts"
import { lazily } from "./lazily.ts"
import * as LazyHttpClient from "./LazyHttpClient.ts"

const failed = (error: { readonly message: string }) => new SearchFailed({ reason: error.message })

/** What searches and what indexes, loaded with the first use. */
const opened = Effect.gen(function* () {
  const [{ layer }, Indexer, embeddings] = yield* Effect.promise(() =>
    Promise.all([import("../search/SqlSearch.ts"), import("../search/Indexer.ts"), import("./embeddings.ts")])
  )
  const whole = layer.pipe(Layer.provideMerge(embeddings.layer), Layer.provide(LazyHttpClient.layer))
  const context = yield* Layer.build(whole)
  const indexer = yield* Effect.provide(Indexer.make(`host-${process.pid}`), context)
  return { search: Context.get(context, Search), indexer }
}).pipe(Effect.mapError(failed))

/** How long nothing is written before a host is idle, in milliseconds. */
const quiet = 1000

/** No session of any process was written for a while. */
const idle = Effect.gen(function* () {
  const { read } = yield* Database
  const now = yield* Clock.currentTimeMillis
  // What was written by a clock that is ahead says nothing.
  const [row] = yield* read<{ readonly busy: number }>`
    SELECT EXISTS (SELECT 1 FROM sessions WHERE updated_at BETWEEN ${now - quiet} AND ${now}) AS busy`
  return row?.busy === 0
}).pipe(Effect.mapError(failed))

/** The search in the user's sessions, which are indexed meanwhile. */
export const search: Layer.Layer<Search, never, Database | Configuration> = Layer.scoped(
  Search,
  Effect.gen(function* () {
    const services = yield* lazily(opened)
    yield* Effect.forkScoped(
      indexBehind(
        Effect.map(services, ({ indexer }) => indexer),
        idle
      )
    )
    return { find: (options) => Effect.flatMap(services, ({ search }) => search.find(options)) }
  })
)
