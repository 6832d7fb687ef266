import type { MemoryEntry } from "./MemoryEntry.ts"

/** A word to look for; as a beginning it also finds longer words. */
export interface Word {
  readonly text: string
  readonly isBeginning: boolean
}

/** An entry that has a word that was looked for, or a similar meaning. */
export interface Found {
  readonly entry: MemoryEntry
  /** BM25 with its sign turned, a cosine, or both in one: above 0, higher is better, comparable within one search only. */
  readonly relevance: number
}

/** An entry with its score in 0..1: its relevance relative to the best one. */
export interface Recalled extends MemoryEntry {
  readonly score: number
}

export interface Selection {
  readonly limit: number
  readonly minScore: number
  readonly tokenBudget: number
}

/** A text as the index of the database has it: without case and accents. */
export const fold = (text: string): string => text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase()

const maxQuery = 10_000
const maxWords = 32

/**
 * The words of any text, none of it query syntax, each once. A word of one or two Latin letters is too common as a
 * prefix to search for.
 */
export const wordsOf = (query: string): ReadonlyArray<Word> => {
  const found =
    query
      .slice(0, maxQuery)
      .toLowerCase()
      .match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? []
  return [...new Set(found)]
    .slice(0, maxWords)
    .map((text) => ({ text, isBeginning: text.length > 2 || /\P{ASCII}/u.test(text) }))
}

/** The same for texts that differ in case, accents, blanks and punctuation alone. */
export const fingerprintOf = (text: string): string =>
  (fold(text).match(/[\p{L}\p{N}\p{Co}\p{S}]+/gu) ?? [text]).join(" ")

/** What a text costs a model, by the rule of thumb of four characters a token. */
const estimatedTokens = (text: string): number => Math.ceil(text.length / 4)

/** The best of what was found, in order; one that no longer fits the budget is left out, and a shorter one may follow. */
export const select = (
  found: ReadonlyArray<Found>,
  { limit, minScore, tokenBudget }: Selection
): ReadonlyArray<Recalled> => {
  const best = found[0]?.relevance ?? 1
  let left = tokenBudget
  return found
    .map(({ entry, relevance }) => ({ ...entry, score: relevance / best }))
    .filter(({ score, text }) => {
      const cost = estimatedTokens(text)
      if (score < minScore || cost > left) return false
      left -= cost
      return true
    })
    .slice(0, limit)
}
