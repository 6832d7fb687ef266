import * as Either from "effect/Either"
import { takesAll } from "./runs.ts"

interface CharacterClass {
  readonly negated: boolean
  readonly ranges: ReadonlyArray<readonly [first: number, last: number]>
}

/** A code point, a class, any one, or a run of any length. */
type Token = number | CharacterClass | "one" | "run"

/** A pattern for one name. */
export type NamePattern = ReadonlyArray<Token>

/** Alternatives and characters that braces may multiply into. */
const maxAlternatives = 64
const maxExpanded = 4096

const closing = (text: string, open: number): number => {
  let depth = 0
  for (let index = open; index < text.length; index++) {
    if (text[index] === "\\") index++
    else if (text[index] === "{") depth++
    else if (text[index] === "}" && --depth === 0) return index
  }
  return -1
}

const choices = (text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  let depth = 0
  let start = 0
  for (let index = 0; index < text.length; index++) {
    if (text[index] === "\\") index++
    else if (text[index] === "{") depth++
    else if (text[index] === "}") depth--
    else if (text[index] === "," && depth === 0) {
      found.push(text.slice(start, index))
      start = index + 1
    }
  }
  return [...found, text.slice(start)]
}

const firstBrace = (text: string): number => {
  for (let index = 0; index < text.length; index++) {
    if (text[index] === "\\") index++
    else if (text[index] === "{") return index
  }
  return -1
}

/** Writes out `{a,b}`; fails where that would be too many. */
export const expand = (glob: string): Either.Either<ReadonlyArray<string>, string> => {
  const done: Array<string> = []
  const todo = [glob]
  let size = 0
  let text: string | undefined
  while ((text = todo.pop()) !== undefined) {
    const open = firstBrace(text)
    if (open === -1) {
      done.push(text)
      size += text.length
    } else {
      const close = closing(text, open)
      if (close === -1) return Either.left("a `{` is not closed")
      const [before, after] = [text.slice(0, open), text.slice(close + 1)]
      for (const choice of choices(text.slice(open + 1, close)).toReversed()) todo.push(`${before}${choice}${after}`)
    }
    if (done.length + todo.length > maxAlternatives || size > maxExpanded) {
      return Either.left(`its braces stand for more than ${maxAlternatives} patterns or ${maxExpanded} characters`)
    }
  }
  return Either.right(done)
}

const codes = (text: string): ReadonlyArray<number> => Array.from(text, (character) => character.codePointAt(0) ?? 0)

const star = 0x2a
const question = 0x3f
const backslash = 0x5c
const bracket = 0x5b
const bracketEnd = 0x5d
const dash = 0x2d
const negations: ReadonlyArray<number | undefined> = [0x21, 0x5e]

const parseClass = (
  text: ReadonlyArray<number>,
  start: number
): Either.Either<readonly [CharacterClass, end: number], string> => {
  const negated = negations.includes(text[start])
  const first = negated ? start + 1 : start
  const ranges: Array<readonly [number, number]> = []
  let index = first
  for (let code = text[index]; code !== undefined; code = text[++index]) {
    if (code === bracketEnd && index > first) return Either.right([{ negated, ranges }, index])
    if (code === backslash) code = text[++index] ?? backslash
    const last = text[index + 2]
    if (text[index + 1] === dash && last !== undefined && last !== bracketEnd) {
      if (last < code) return Either.left("a range in `[` runs backwards")
      ranges.push([code, last])
      index += 2
    } else {
      ranges.push([code, code])
    }
  }
  return Either.left("a `[` is not closed")
}

/** Reads what stands between two slashes; `**` beside other characters means `*`. */
export const parseName = (name: string): Either.Either<NamePattern, string> => {
  const text = codes(name)
  const tokens: Array<Token> = []
  for (let index = 0; index < text.length; index++) {
    const code = text[index] ?? 0
    if (code === star) {
      if (tokens.at(-1) !== "run") tokens.push("run")
    } else if (code === question) {
      tokens.push("one")
    } else if (code === bracket) {
      const parsed = parseClass(text, index + 1)
      if (Either.isLeft(parsed)) return Either.left(parsed.left)
      tokens.push(parsed.right[0])
      index = parsed.right[1]
    } else if (code === backslash) {
      if (++index >= text.length) return Either.left("it ends in a lone `\\`")
      tokens.push(text[index] ?? 0)
    } else {
      tokens.push(code)
    }
  }
  return Either.right(tokens)
}

const isRun = (token: Token): boolean => token === "run"

const takes = (token: Token, code: number): boolean => {
  if (token === "run") return false
  if (token === "one" || typeof token === "number") return token === "one" || token === code
  return token.ranges.some(([first, last]) => first <= code && code <= last) !== token.negated
}

export const matchName = (pattern: NamePattern, name: string): boolean => takesAll(pattern, codes(name), isRun, takes)
