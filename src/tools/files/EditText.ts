import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { nearestLine } from "./NearestLine.ts"

const maxShown = 10

/** A replacement does not fit the text; lines count from 1. */
export class EditFailed extends Schema.TaggedError<EditFailed>()("EditFailed", {
  problem: Schema.Literal("empty", "unchanged", "not-found", "count"),
  expected: Schema.Number,
  /** The lines at which the text was found. */
  lines: Schema.Array(Schema.Number),
  /** The most similar line, where nothing was found. */
  nearest: Schema.optional(Schema.Struct({ line: Schema.Number, text: Schema.String }))
}) {
  override get message() {
    switch (this.problem) {
      case "empty":
        return "The text to replace is empty; give the exact text, or write the whole file"
      case "unchanged":
        return "The text to replace and its replacement are the same; nothing would change"
      case "not-found":
        return this.nearest === undefined
          ? "The text to replace does not occur in the file; read the file again and copy it exactly"
          : `The text to replace does not occur in the file. The nearest is line ${this.nearest.line}: ` +
              `${JSON.stringify(this.nearest.text)}; compare spaces and indentation, and copy it exactly`
      case "count": {
        const shown = this.lines.slice(0, maxShown).join(", ") + (this.lines.length > maxShown ? " …" : "")
        return (
          `The text to replace occurs ${this.lines.length} times (lines ${shown}), not ${this.expected}; ` +
          `add lines around it to make it unique, or set the expected count to ${this.lines.length}`
        )
      }
    }
  }
}

export interface Edited {
  readonly text: string
  /** The line of each replacement in the old text, from 1. */
  readonly lines: ReadonlyArray<number>
}

/** Whether every line ends in CRLF; then LF in a given text means CRLF. */
export const isCrLf = (text: string): boolean => text.includes("\r\n") && !/(?<!\r)\n/.test(text)

const toCrLf = (text: string): string => text.replaceAll(/\r?\n/g, "\r\n")

const occurrences = (text: string, part: string): ReadonlyArray<number> => {
  const found: Array<number> = []
  let line = 1
  let from = 0
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) {
    for (let next = text.indexOf("\n", from); next !== -1 && next < at; next = text.indexOf("\n", next + 1)) line++
    from = at
    found.push(line)
  }
  return found
}

/**
 * Replaces every occurrence of one text by another, if there are exactly as many as expected. In a file of CRLF lines,
 * both may be written with LF.
 */
export const editText = (
  content: string,
  before: string,
  after: string,
  expected = 1
): Either.Either<Edited, EditFailed> => {
  const fail = (problem: EditFailed["problem"], more: Partial<Pick<EditFailed, "lines" | "nearest">> = {}) =>
    Either.left(new EditFailed({ problem, expected, lines: [], ...more }))
  if (before === "") return fail("empty")
  if (before === after) return fail("unchanged")
  const [old, replacement] = isCrLf(content) ? [toCrLf(before), toCrLf(after)] : [before, after]
  const lines = occurrences(content, old)
  if (lines.length === 0) {
    const nearest = nearestLine(content, old)
    return fail("not-found", nearest === undefined ? {} : { nearest })
  }
  if (lines.length !== expected) return fail("count", { lines })
  return Either.right({ text: content.split(old).join(replacement), lines })
}
