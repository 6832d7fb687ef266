import * as Either from "effect/Either"

/** A line as words; quotes hold one together, and a backslash in double quotes takes what follows as it is. */
export const splitWords = (line: string): Either.Either<ReadonlyArray<string>, string> => {
  const words: Array<string> = []
  const part = /"((?:[^"\\]|\\[^])*)"|'([^']*)'|([^\s"']+)|(\s+)|(["'])/gu
  let word: string | undefined
  for (const [, double, single, plain, blank, open] of line.matchAll(part)) {
    if (open !== undefined) return Either.left(`the ${open} has no end`)
    if (blank !== undefined) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = `${word ?? ""}${double?.replaceAll(/\\([^])/gu, "$1") ?? single ?? plain ?? ""}`
  }
  return Either.right(word === undefined ? words : [...words, word])
}
