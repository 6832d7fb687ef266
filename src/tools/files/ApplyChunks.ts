import * as Either from "effect/Either"
import { isCrLf } from "./EditText.ts"
import { type Comparisons, tooManyPlaces } from "./Comparisons.ts"
import type { Chunk } from "./PatchStep.ts"

const withoutTrail = (line: string): string => line.trimEnd()

/** The first places of a run of lines from an index on, two at most. */
const placesOf = (
  lines: ReadonlyArray<string>,
  wanted: ReadonlyArray<string>,
  from: number,
  { isSame }: Comparisons
): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let start = from; start + wanted.length <= lines.length && found.length < 2; start++) {
    if (wanted.every((line, offset) => isSame(lines[start + offset], line))) found.push(start)
  }
  return found
}

/** The same where trailing spaces count only if that finds it. */
const places = (
  lines: ReadonlyArray<string>,
  wanted: ReadonlyArray<string>,
  from: number,
  comparisons: Comparisons
): ReadonlyArray<number> => {
  const exact = placesOf(lines, wanted, from, comparisons)
  return exact.length > 0 || comparisons.isSpent
    ? exact
    : placesOf(lines.map(withoutTrail), wanted.map(withoutTrail), from, comparisons)
}

/** The line after an anchor, which may be written without its indentation. */
const afterAnchor = (lines: ReadonlyArray<string>, anchor: string, from: number): number | undefined => {
  for (let index = from; index < lines.length; index++) {
    if ((lines[index] ?? "").trim() === anchor) return index + 1
  }
  return undefined
}

const quote = (lines: ReadonlyArray<string>): string => JSON.stringify(lines.slice(0, 3).join("\n").slice(0, 200))

const locate = (
  lines: ReadonlyArray<string>,
  chunk: Chunk,
  from: number,
  comparisons: Comparisons
): Either.Either<number, string> => {
  const start = chunk.anchor === undefined ? from : afterAnchor(lines, chunk.anchor, from)
  if (start === undefined) return Either.left(`the line ${JSON.stringify(chunk.anchor)} after \`@@\` was not found`)
  const wanted = chunk.lines.filter(({ sign }) => sign !== "+").map(({ text }) => text)
  if (wanted.length === 0) return Either.right(chunk.anchor === undefined || chunk.atEnd ? lines.length : start)
  const found = places(lines, wanted, chunk.atEnd ? Math.max(start, lines.length - wanted.length) : start, comparisons)
  if (comparisons.isSpent) return Either.left(tooManyPlaces)
  if (chunk.atEnd && found.length === 0) return Either.left(`it does not end with ${quote(wanted)}`)
  const [first, second] = found
  if (first === undefined)
    return Either.left(`it does not have the lines ${quote(wanted)}; read it again and copy them exactly`)
  return second === undefined || chunk.anchor !== undefined
    ? Either.right(first)
    : Either.left(
        `the lines ${quote(wanted)} occur at lines ${first + 1} and ${second + 1}; add lines around them, or an ` +
          "`@@` line that comes before them"
      )
}

/** Applies the chunks in order, each after the one before. Lines that stay are kept as they are in the file. */
export const applyChunks = (
  before: string,
  chunks: ReadonlyArray<Chunk>,
  comparisons: Comparisons
): Either.Either<string, string> => {
  const crlf = isCrLf(before)
  const text = crlf ? before.replaceAll("\r\n", "\n") : before
  const lines = text === "" ? [] : text.split("\n")
  const ended = lines.at(-1) === ""
  if (ended) lines.pop()
  const result: Array<string> = []
  let cursor = 0
  for (const chunk of chunks) {
    const located = locate(lines, chunk, cursor, comparisons)
    if (Either.isLeft(located)) return Either.left(located.left)
    // Too many lines for the arguments of one call.
    for (; cursor < located.right; cursor++) result.push(lines[cursor]!)
    for (const { sign, text: line } of chunk.lines) {
      if (sign === "+") result.push(line)
      else if (sign === "-") cursor++
      else result.push(lines[cursor++] ?? line)
    }
  }
  const after = [...result, ...lines.slice(cursor)]
  const joined = after.join("\n") + (after.length > 0 && (ended || text === "") ? "\n" : "")
  return Either.right(crlf ? joined.replaceAll("\n", "\r\n") : joined)
}
