import { fileTypes } from "../policy/shell/Search.ts"

/** The patterns that the files of a type are found by; none, so that every file counts, where not all of them are known. */
export const patternsOf = (type: unknown): ReadonlyArray<string> =>
  typeof type === "string" ? (fileTypes.get(type) ?? []) : []

/** One that means the same to every agent: letters, stars and one list in braces. */
const plain = /^[\w.*?/@+-]*(?:\{[\w.*,-]+\}[\w.*?/@+-]*)?$/

/** Characters of a filter, whose reading takes the square of them. */
const maximumFilter = 2048

/**
 * The patterns that a filter stands for, which some agents split at blanks and commas and others do not; none where it is empty, and
 * one that everything matches where it is too long or may bring other files than it seems to (`!a`, `@(a|b)`, `:(top)a`).
 */
export const patternsIn = (filter: string): ReadonlyArray<string> => {
  if (filter.length > maximumFilter) return ["**"]
  const patterns = filter.split(/[\s,]+(?![^{]*\})/).filter((pattern) => pattern !== "")
  if (patterns.every((pattern) => pattern.startsWith("!") && plain.test(pattern.slice(1)))) return patterns
  if (!patterns.every((pattern) => plain.test(pattern))) return ["**"]
  return patterns.length > 1 ? [...patterns, filter] : patterns
}
