import { eachGrapheme } from "../../../text/graphemes.ts"
import { makeVisible } from "../../../text/visible.ts"
import { columns, fit } from "../Layout.ts"

/** A row of a text: what is seen of it, and where its graphemes begin. */
export interface EditorRow {
  readonly text: string
  /** Where it begins in the text. */
  readonly from: number
  /** Where each grapheme begins, counted from `from`, and its column; the last entry is the end of the row. */
  readonly stops: ReadonlyArray<{ readonly at: number; readonly column: number }>
}

type LineRow = Omit<EditorRow, "from"> & { readonly offset: number }

/** The rows of one line, none of them wider than `width`. */
const rowsOfLine = (
  line: string,
  width: number,
  label: (sign: string) => string | undefined
): ReadonlyArray<LineRow> => {
  const rows: Array<LineRow> = []
  let text = ""
  let used = 0
  let offset = 0
  let stops: Array<{ readonly at: number; readonly column: number }> = []
  let passed = 0
  const end = () => {
    stops.push({ at: passed - offset, column: used })
    rows.push({ text, offset, stops })
    text = ""
    used = 0
    offset = passed
    stops = []
  }
  for (const { segment } of eachGrapheme(line)) {
    const named = label(segment)
    const shown = fit(named ?? (segment === "\t" ? "  " : makeVisible(segment)), width)
    const wide = columns(shown)
    if (used + wide > width) end()
    stops.push({ at: passed - offset, column: used })
    text += shown
    used += wide
    passed += segment.length
  }
  end()
  return rows
}

/** A text as rows, those of a line that has not changed being kept. */
export class EditorRows {
  private width = 0
  private known = new Map<string, ReadonlyArray<LineRow>>()
  private readonly label: (sign: string) => string | undefined

  constructor(label: (sign: string) => string | undefined) {
    this.label = label
  }

  of(text: string, width: number): ReadonlyArray<EditorRow> {
    const before = width === this.width ? this.known : undefined
    this.width = width
    this.known = new Map()
    const rows: Array<EditorRow> = []
    let from = 0
    for (const line of text.split("\n")) {
      const laidOut = this.known.get(line) ?? before?.get(line) ?? rowsOfLine(line, width, this.label)
      this.known.set(line, laidOut)
      for (const { offset, stops, text } of laidOut) rows.push({ text, from: from + offset, stops })
      from += line.length + 1
    }
    return rows
  }
}

/** The row of a place in the text, and its column there. */
export const placeIn = (
  rows: ReadonlyArray<EditorRow>,
  at: number
): { readonly row: number; readonly column: number } => {
  let [low, high] = [0, rows.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (rows[middle]!.from <= at) low = middle
    else high = middle - 1
  }
  const { from = 0, stops = [] } = rows[low] ?? {}
  const stop = stops.findLast((one) => from + one.at <= at)
  return { row: low, column: stop?.column ?? 0 }
}

/** The place in the text at a column of a row, or before it. */
export const placeAt = ({ from, stops }: EditorRow, column: number): number =>
  from + (stops.findLast((one) => one.column <= column)?.at ?? 0)
