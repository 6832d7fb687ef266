import * as Either from "effect/Either"
import { deny, type Verdict } from "../Verdict.ts"

const special = /[*?[\]{}()!@+\\]/

/**
 * The directory above the first name of a pattern that is not literal: all matches lie below it. Refuses a pattern that
 * could climb out of it.
 */
export const globBase = (pattern: string): Either.Either<string, Verdict> => {
  if (pattern.length > 1024) return Either.left(deny("path/too-long", "the pattern is longer than 1024 characters"))
  const names = pattern.split("/")
  const found = names.findIndex((name) => special.test(name))
  const literal = found === -1 ? names.slice(0, -1) : names.slice(0, found)
  if (names.some((name) => name.startsWith("..") || name.split(/[{},()|[\]\\]/).includes(".."))) {
    return Either.left(
      deny("path/glob-escapes", "a pattern cannot contain `..`; start it from the directory to search")
    )
  }
  if (/^[@!+?*]?[{(]/.test(pattern) && /[{(,|]\//.test(pattern)) {
    return Either.left(deny("path/glob-escapes", "a pattern cannot begin with `/` in one of its alternatives only"))
  }
  if (pattern === "") return Either.left(deny("path/empty", "the pattern is empty"))
  const base = literal.join("/")
  return Either.right(pattern.startsWith("/") ? base || "/" : base || ".")
}
