import stringWidth from "string-width"
import { eachGrapheme, slices } from "../../text/graphemes.ts"

/** Characters that take one column each, independent of their neighbours. */
const narrow =
  /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u2319\u231c-\u2328\u232b-\u23e8\u23f4-\u25fc\u25ff-\u2613\u270c-\u2727\u2758-\u2794\u2801-\u28ff]*$/

/** Escape sequences that colour. */
const sequence = new RegExp(`(${String.fromCharCode(27)}\\[[0-9;]*m)`, "g")

/** The text without what colours it. */
export const unstyled = (text: string): string => text.replaceAll(sequence, "")

/** Columns that a text takes; escape sequences take none. */
export const columns = (text: string): number => {
  const plain = unstyled(text)
  return narrow.test(plain) ? plain.length : slices(plain).reduce((sum, slice) => sum + stringWidth(slice), 0)
}

/** The text, cut to a number of columns with an ellipsis where it is longer; its colours end where they would have. */
export const fit = (text: string, width: number): string => {
  if (width <= 0) return ""
  if (columns(text) <= width) return text
  let kept = ""
  let used = 0
  let full = false
  for (const [index, piece] of text.split(sequence).entries()) {
    if (index % 2 === 1) {
      kept += piece
      continue
    }
    for (const { segment } of eachGrapheme(piece)) {
      const wide = columns(segment)
      if (!full && used + wide > width - 1) {
        full = true
        kept += "…"
      }
      if (full) break
      kept += segment
      used += wide
    }
  }
  return kept
}

/** The row with its cell at a column in reverse, as a cursor looks; behind the end of the row it is a blank. */
export const withCursor = (row: string, column: number): string => {
  const inReverse = (cell: string) => `\u001b[7m${cell}\u001b[27m`
  let marked = ""
  let used = 0
  let found = false
  for (const [index, piece] of row.split(sequence).entries()) {
    if (index % 2 === 1) {
      marked += piece
      continue
    }
    for (const { segment } of eachGrapheme(piece)) {
      const wide = columns(segment)
      const isHere: boolean = !found && used + wide > column
      found ||= isHere
      marked += isHere ? inReverse(segment) : segment
      used += wide
    }
  }
  return found ? marked : `${marked}${" ".repeat(Math.max(0, column - used))}${inReverse(" ")}`
}

/** The beginning of a row up to a column, without what colours it. */
export const beginning = (row: string, column: number): string =>
  column <= 0 ? "" : (broken(unstyled(row), column)[0] ?? "")

/**
 * Breaks running text between words so that no line is wider than `width`; text comes in pieces of any size. A word that
 * is still growing is held back until its end is seen.
 */
export class Flow {
  private readonly width: () => number
  private column = 0
  private word = ""
  private blank = ""

  constructor(width: () => number) {
    this.width = width
  }

  push(text: string): string {
    let out = ""
    for (const piece of text.match(/\n|[^\S\n]+|\S+/gu) ?? []) {
      if (piece === "\n") {
        out += `${this.place()}\n`
        this.column = 0
        this.blank = ""
      } else if (/^\s/u.test(piece)) {
        out += this.place()
        this.blank += piece
      } else this.word += piece
    }
    return out
  }

  /** What was held back. */
  end(): string {
    const out = this.place()
    this.column = 0
    this.blank = ""
    return out
  }

  private place(): string {
    if (this.word === "") return ""
    const wide = columns(this.word)
    const before = columns(this.blank)
    const breaks = this.column > 0 && this.column + before + wide > this.width()
    const out = breaks ? `\n${this.word}` : `${this.blank}${this.word}`
    this.column = breaks ? wide : this.column + before + wide
    this.word = ""
    this.blank = ""
    return out
  }
}

/** A line as pieces no wider than `width`, none of it left out. */
export const broken = (line: string, width: number): ReadonlyArray<string> => {
  if (narrow.test(line)) {
    return line === ""
      ? [line]
      : Array.from({ length: Math.ceil(line.length / width) }, (_, at) => line.slice(at * width, (at + 1) * width))
  }
  const pieces = [""]
  let used = 0
  for (const { segment } of eachGrapheme(line)) {
    const wide = columns(segment)
    if (used + wide > width) {
      pieces.push("")
      used = 0
    }
    pieces[pieces.length - 1] += segment
    used += wide
  }
  return pieces
}

/** Whole text as lines no wider than `width`; a word that is wider is broken. */
export const wrap = (text: string, width: number): ReadonlyArray<string> => {
  const flow = new Flow(() => width)
  return (flow.push(text) + flow.end()).split("\n").flatMap((line) => broken(line, Math.max(2, width)))
}

/** Whole text behind a head, as lines no wider than `width`; those that follow the first are indented below the text. */
export const hanging = (head: string, text: string, width: number): string => {
  const wide = columns(head)
  return wrap(text, width - wide)
    .map((line, index) => `${index === 0 ? head : " ".repeat(wide)}${line}\n`)
    .join("")
}
