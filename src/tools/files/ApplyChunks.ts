import * as Either from "effect/Either"
import { isCrLf } from "./EditText.ts"
import type { Chunk } from "./PatchStep.ts"

const exact = (line: string): string => line
const withoutTrail = (line: string): string => line.trimEnd()

const matchesAt = (
  lines: ReadonlyArray<string>,
  wanted: ReadonlyArray<string>,
  start: number,
  view: (line: string) => string
): boolean => wanted.every((line, offset) => view(lines[start + offset] ?? "") === view(line))

/** The first two places of a run of lines from an index on; trailing spaces count only if that finds it. */
const places = (lines: ReadonlyArray<string>, wanted: ReadonlyArray<string>, from: number): ReadonlyArray<number> => {
  for (const view of [exact, withoutTrail]) {
    const found: Array<number> = []
    for (let start = from; start + wanted.length <= lines.length && found.length < 2; start++) {
      if (matchesAt(lines, wanted, start, view)) found.push(start)
    }
    if (found.length > 0) return found
  }
  return []
}

/** The line after an anchor, which may be written without its indentation. */
const afterAnchor = (lines: ReadonlyArray<string>, anchor: string, from: number): number | undefined => {
  for (let index = from; index < lines.length; index++) {
    if ((lines[index] ?? "").trim() === anchor) return index + 1
  }
  return undefined
}

const quote = (lines: ReadonlyArray<string>): string => JSON.stringify(lines.slice(0, 3).join("\n").slice(0, 200))

const locate = (lines: ReadonlyArray<string>, chunk: Chunk, from: number): Either.Either<number, string> => {
  const start = chunk.anchor === undefined ? from : afterAnchor(lines, chunk.anchor, from)
  if (start === undefined) return Either.left(`the line ${JSON.stringify(chunk.anchor)} after \`@@\` was not found`)
  const wanted = chunk.lines.filter(({ sign }) => sign !== "+").map(({ text }) => text)
  if (wanted.length === 0) return Either.right(chunk.anchor === undefined || chunk.atEnd ? lines.length : start)
  const found = places(lines, wanted, chunk.atEnd ? Math.max(start, lines.length - wanted.length) : start)
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
export const applyChunks = (before: string, chunks: ReadonlyArray<Chunk>): Either.Either<string, string> => {
  const crlf = isCrLf(before)
  const text = crlf ? before.replaceAll("\r\n", "\n") : before
  const lines = text === "" ? [] : text.split("\n")
  const ended = lines.at(-1) === ""
  if (ended) lines.pop()
  const result: Array<string> = []
  let cursor = 0
  for (const chunk of chunks) {
    const located = locate(lines, chunk, cursor)
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
