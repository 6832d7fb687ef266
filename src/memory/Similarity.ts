import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Embedder } from "../search/Embeddings.ts"
import { quantized } from "../search/Vectors.ts"
import type { MemoryEntry, MemoryViewer } from "./MemoryEntry.ts"
import type { MemoryFailed } from "./MemoryError.ts"
import type { MemoryStore, Remembered } from "./MemoryStore.ts"
import type { Found } from "./Relevance.ts"

/** How long a prompt waits for what notes mean; after that its words alone count. */
const patience = Duration.seconds(3)

const cosine = (one: Int8Array, other: Int8Array): number => {
  if (one.length !== other.length) return 0
  let [dot, squares, others] = [0, 0, 0]
  for (let at = 0; at < one.length; at++) {
    dot += one[at]! * other[at]!
    squares += one[at]! ** 2
    others += other[at]! ** 2
  }
  return dot === 0 ? 0 : dot / Math.sqrt(squares * others)
}

/** Entries that have no vector of the model yet get theirs, which is stored for the next time. */
const completed = (store: MemoryStore, embedder: Embedder, known: ReadonlyArray<Remembered>) =>
  Effect.gen(function* () {
    const unknown = known.flatMap(({ entry, vector }) => (vector === undefined ? [entry] : []))
    const batches = Array.from({ length: Math.ceil(unknown.length / embedder.batch) }, (_, at) =>
      unknown.slice(at * embedder.batch, (at + 1) * embedder.batch)
    )
    const made = yield* Effect.forEach(batches, (entries: ReadonlyArray<MemoryEntry>) =>
      Effect.gen(function* () {
        const vectors = yield* embedder.embed(entries.map(({ text }) => text))
        const rows = entries.map((entry, at) => ({
          entry,
          // What says nothing is similar to nothing.
          vector: quantized(vectors[at] ?? new Float32Array()) ?? new Int8Array(1)
        }))
        // Who may only read makes them anew the next time.
        yield* Effect.ignore(
          store.keepVectors(
            embedder.model,
            rows.map(({ entry, vector }) => ({ id: entry.id, vector }))
          )
        )
        return rows
      })
    )
    return [...known.flatMap(({ entry, vector }) => (vector === undefined ? [] : [{ entry, vector }])), ...made.flat()]
  })

/** The entries that mean something similar, by their cosines; none where the model of vectors does not answer in time. */
export const similar = (
  store: MemoryStore,
  embedder: Embedder,
  viewer: MemoryViewer,
  query: string
): Effect.Effect<ReadonlyArray<Found>, MemoryFailed> =>
  Effect.gen(function* () {
    const known = yield* store.vectors(viewer, embedder.model)
    if (known.length === 0) return []
    const [vector] = yield* embedder.embed([query])
    const asked = vector === undefined ? undefined : quantized(vector)
    if (asked === undefined) return []
    return (yield* completed(store, embedder, known))
      .map(({ entry, vector }) => ({ entry, relevance: cosine(asked, vector) }))
      .filter(({ relevance }) => relevance >= embedder.similar)
  }).pipe(
    Effect.timeoutTo({ duration: patience, onSuccess: (found) => found, onTimeout: (): ReadonlyArray<Found> => [] }),
    Effect.catchTag("EmbeddingFailed", (error) => Effect.as(Effect.logWarning(error.message), []))
  )

const shares = (found: ReadonlyArray<Found>) => {
  const best = Math.max(...found.map(({ relevance }) => relevance))
  return found.map(({ entry, relevance }) => ({ entry, share: relevance / best }))
}

/**
 * One ranking of two, the best first: each counts by its share of its best one (the convex combination of Bruch, Gai and Ingber, 2023).
 */
export const combined = (
  byWords: ReadonlyArray<Found>,
  byMeaning: ReadonlyArray<Found>,
  limit: number
): ReadonlyArray<Found> => {
  const sums = new Map<number, Found>()
  for (const { entry, share } of [...shares(byWords), ...shares(byMeaning)]) {
    sums.set(entry.id, { entry, relevance: (sums.get(entry.id)?.relevance ?? 0) + share / 2 })
  }
  return [...sums.values()]
    .toSorted((one, other) => other.relevance - one.relevance || other.entry.id - one.entry.id)
    .slice(0, limit)
}
