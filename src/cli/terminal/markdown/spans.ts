import { eachGrapheme } from "../../../text/graphemes.ts"
import { columns } from "../Layout.ts"

export type Paint = (text: string) => string

/** A text that is painted in one way; its line breaks stay. */
export interface Span {
  readonly text: string
  readonly paint?: Paint
}

export const span = (text: string, paint?: Paint): Span => (paint === undefined ? { text } : { text, paint })

/** Columns of the widest line of spans. */
export const widest = (spans: ReadonlyArray<Span>): number =>
  spans
    .map(({ text }) => text)
    .join("")
    .split("\n")
    .reduce((most, line) => Math.max(most, columns(line)), 0)

/** A row that is being filled; each of its pieces is painted by itself, so that no colour runs into what stands beside it. */
class Rows {
  readonly done: Array<string> = []
  private row = ""
  private used = 0
  private blank = 0
  private begun = false
  private readonly width: number

  constructor(width: number) {
    this.width = width
  }

  space(count: number): void {
    this.blank += count
  }

  word(parts: ReadonlyArray<Span>): void {
    const wide = parts.reduce((sum, { text }) => sum + columns(text), 0)
    if (this.begun && this.used + this.blank + wide > this.width) this.newline()
    // What stands in front of a row is kept where there is room for it.
    else if (this.used + this.blank < this.width) {
      this.row += " ".repeat(this.blank)
      this.used += this.blank
    }
    this.blank = 0
    this.begun = true
    if (wide <= this.width - this.used) for (const { paint, text } of parts) this.put(text, columns(text), paint)
    else for (const part of parts) this.broken(part)
  }

  newline(): void {
    this.done.push(this.row)
    this.row = ""
    this.used = 0
    this.blank = 0
    this.begun = false
  }

  private broken({ paint, text }: Span): void {
    let piece = ""
    let wide = 0
    for (const { segment } of eachGrapheme(text)) {
      const more = columns(segment)
      if (this.used + wide + more > this.width && this.used + wide > 0) {
        this.put(piece, wide, paint)
        this.newline()
        piece = ""
        wide = 0
      }
      piece += segment
      wide += more
    }
    this.put(piece, wide, paint)
  }

  private put(text: string, wide: number, paint: Paint | undefined): void {
    this.row += paint === undefined || text === "" ? text : paint(text)
    this.used += wide
    if (text !== "") this.begun = true
  }
}

/** Spans as rows no wider than `width`, broken between words, a longer word where it must be. */
export const flow = (spans: ReadonlyArray<Span>, width: number): ReadonlyArray<string> => {
  const rows = new Rows(Math.max(2, width))
  let word: Array<Span> = []
  const place = () => {
    if (word.length > 0) rows.word(word)
    word = []
  }
  for (const { paint, text } of spans) {
    for (const piece of text.match(/\n|[^\S\n]+|\S+/gu) ?? []) {
      if (piece === "\n") {
        place()
        rows.newline()
      } else if (/^\s/u.test(piece)) {
        place()
        rows.space(columns(piece.replaceAll("\t", "    ")))
      } else word.push(span(piece, paint))
    }
  }
  place()
  rows.newline()
  return rows.done
}

/** Spans as rows broken at any character, all blanks kept: code. */
export const exactly = (spans: ReadonlyArray<Span>, width: number): ReadonlyArray<string> => {
  const rows: Array<string> = []
  let row = ""
  let used = 0
  for (const { paint = (text: string) => text, text } of spans) {
    for (const [index, line] of text.replaceAll("\t", "    ").split("\n").entries()) {
      if (index > 0) {
        rows.push(row)
        row = ""
        used = 0
      }
      const wide = columns(line)
      if (used + wide <= width) {
        if (line !== "") row += paint(line)
        used += wide
        continue
      }
      let piece = ""
      for (const { segment } of eachGrapheme(line)) {
        const more = columns(segment)
        if (used + more > width && used > 0) {
          rows.push(row + (piece === "" ? "" : paint(piece)))
          row = ""
          piece = ""
          used = 0
        }
        piece += segment
        used += more
      }
      if (piece !== "") row += paint(piece)
    }
  }
  return [...rows, row]
}
