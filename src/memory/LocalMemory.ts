import * as Effect from "effect/Effect"
import type { MemoryEntry, MemoryViewer } from "./MemoryEntry.ts"
import { maxEntries, type MemoryStore } from "./MemoryStore.ts"
import { fingerprintOf, fold, type Word } from "./Relevance.ts"

const tokensOf = (text: string): ReadonlyArray<string> => fold(text).match(/[\p{L}\p{N}\p{Co}]+/gu) ?? []

const countOf = (tokens: ReadonlyArray<string>, { isBeginning, text }: Word): number => {
  const word = fold(text)
  return tokens.filter((token) => (isBeginning ? token.startsWith(word) : token === word)).length
}

/** BM25 with the constants of FTS5, where a word that most texts have counts for next to nothing, not less. */
const bm25 = (texts: ReadonlyArray<string>, words: ReadonlyArray<Word>): ReadonlyArray<number> => {
  const [k, b] = [1.2, 0.75]
  const documents = texts.map(tokensOf)
  const average = documents.reduce((sum, { length }) => sum + length, 0) / documents.length
  const relevance = documents.map(() => 0)
  for (const word of words) {
    const counts = documents.map((tokens) => countOf(tokens, word))
    const having = counts.filter((count) => count > 0).length
    const weight = Math.max(1e-6, Math.log((texts.length - having + 0.5) / (having + 0.5)))
    counts.forEach((count, at) => {
      const length = documents[at]!.length / average
      if (count > 0) relevance[at]! += (weight * count * (k + 1)) / (count + k * (1 - b + b * length))
    })
  }
  return relevance
}

/** Entries of this process alone. */
export const make = (projectOf: (sessionId: string) => string | undefined): MemoryStore => {
  let entries: ReadonlyArray<MemoryEntry> = []
  let last = 0
  const meanings = new Map<number, { readonly model: string; readonly vector: Int8Array }>()
  const placeOf = ({ project, scope, sessionId }: Pick<MemoryEntry, "project" | "scope" | "sessionId">) =>
    JSON.stringify([scope, scope === "project" ? project : sessionId])
  const isSeenBy =
    (viewer: MemoryViewer) =>
    ({ project, scope, sessionId }: MemoryEntry): boolean =>
      "project" in viewer
        ? project === viewer.project
        : scope === "project"
          ? project === projectOf(viewer.sessionId)
          : sessionId === viewer.sessionId

  return {
    keep: ({ fingerprint, ...note }) =>
      Effect.sync(() => {
        const project = projectOf(note.sessionId)
        if (project === undefined) return undefined
        const place = placeOf({ ...note, project })
        const beside = entries.filter((one) => placeOf(one) === place)
        const same = beside.find(({ text }) => fingerprintOf(text) === fingerprint)
        if (same !== undefined) return { entry: same, added: false }
        const entry = { ...note, project, id: ++last }
        const crowded = new Set(beside.slice(0, Math.max(0, beside.length + 1 - maxEntries)))
        entries = [...entries.filter((one) => !crowded.has(one)), entry]
        return { entry, added: true }
      }),
    search: (viewer, words, limit) =>
      Effect.sync(() => {
        const relevance = bm25(
          entries.map(({ text }) => text),
          words
        )
        return entries
          .map((entry, at) => ({ entry, relevance: relevance[at]! }))
          .filter((found) => found.relevance > 0 && isSeenBy(viewer)(found.entry))
          .toSorted((a, b) => b.relevance - a.relevance || b.entry.id - a.entry.id)
          .slice(0, limit)
      }),
    list: (viewer, limit, before = Infinity) =>
      Effect.sync(() =>
        entries
          .filter((entry) => entry.id < before && isSeenBy(viewer)(entry))
          .toReversed()
          .slice(0, limit)
      ),
    vectors: (viewer, model) =>
      Effect.sync(() =>
        entries.filter(isSeenBy(viewer)).map((entry) => {
          const known = meanings.get(entry.id)
          return { entry, vector: known?.model === model ? known.vector : undefined }
        })
      ),
    keepVectors: (model, vectors) =>
      Effect.sync(() => {
        for (const { id, vector } of vectors) meanings.set(id, { model, vector })
        const present = new Set(entries.map(({ id }) => id))
        for (const id of meanings.keys()) if (!present.has(id)) meanings.delete(id)
      }),
    find: (id) => Effect.sync(() => entries.find((entry) => entry.id === id)),
    forget: (id) =>
      Effect.sync(() => {
        const before = entries.length
        entries = entries.filter((entry) => entry.id !== id)
        return entries.length < before
      })
  }
}
