import type { Configuration } from "../config/Configuration.ts"
import type { Database } from "../database/Database.ts"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope } from "effect/Scope"
import { Search, SearchFailed } from "../search/Search.ts"
import { lazily } from "./lazily.ts"
import * as LazyHttpClient from "./LazyHttpClient.ts"

/** What searches, loaded with its first use. */
const opened: Effect.Effect<Search["Type"], SearchFailed, Database | Configuration | Scope> = Effect.gen(function* () {
  const [{ layer }, embeddings] = yield* Effect.promise(() =>
    Promise.all([import("../search/SqlSearch.ts"), import("./embeddings.ts")])
  )
  const whole = layer.pipe(Layer.provide(embeddings.layer), Layer.provide(LazyHttpClient.layer))
  return Context.get(yield* Layer.build(whole), Search)
}).pipe(Effect.mapError((error) => new SearchFailed({ reason: error.message })))

/** The search in the user's sessions. */
export const search: Layer.Layer<Search, never, Database | Configuration> = Layer.scoped(
  Search,
  Effect.map(lazily(opened), (service) => ({
    find: (options) => Effect.flatMap(service, ({ find }) => find(options))
  }))
)
