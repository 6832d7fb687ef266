import { continuationMark, type Line, marginMark } from "../../../approval/rendering/Line.ts"
import { diffRows } from "../diffRows.ts"
import { wrap } from "../Layout.ts"
import { pieces } from "../pieces.ts"
import type { Style } from "../Style.ts"

/** One row of a screen, and the line that it is part of. */
export interface Row {
  readonly text: string
  readonly line: number
}

const painted = ({ kind }: Line, text: string, style: Style): string => {
  switch (kind) {
    case "title":
      return style.bold(text)
    case "warning":
      return style.yellow(text)
    case "added":
      return style.green(text)
    case "removed":
      return style.red(text)
    case "field":
    case "choice":
    case "context":
      return style.dim(text)
    case "diff":
    case "summary":
    case "value":
      return text
  }
}

const isDiff = ({ kind, margin }: Line): boolean =>
  margin && (kind === "added" || kind === "removed" || kind === "diff" || kind === "value")

/** How many lines from `start` on are one diff; none where it does not begin there. */
const diffLength = (lines: ReadonlyArray<Line>, start: number): number => {
  if (lines[start]?.kind !== "diff" || !lines[start].text.startsWith("--- ")) return 0
  const end = lines.findIndex((line, index) => index > start && !isDiff(line))
  return (end < 0 ? lines.length : end) - start
}

const lineRows = (line: Line, index: number, width: number, style: Style): ReadonlyArray<Row> => {
  const room = Math.max(2, width - marginMark.length)
  if (!line.margin) return wrap(line.text, room).map((text) => ({ text: painted(line, text, style), line: index }))
  const prose = line.kind === "summary" || line.kind === "context"
  return (prose ? wrap : pieces)(line.text, room).map((text, at) => ({
    text: `${style.dim(at === 0 ? marginMark : continuationMark)}${painted(line, text, style)}`,
    line: index
  }))
}

/**
 * Lines as rows of a screen. What is not the runtime's own stands behind a mark in every row, another where a line goes on,
 * and nothing of it is left out; a diff has the numbers of its lines in front of the mark.
 */
export const rowsOf = (lines: ReadonlyArray<Line>, width: number, style: Style): ReadonlyArray<Row> => {
  const rows: Array<Row> = []
  for (let index = 0; index < lines.length;) {
    const count = diffLength(lines, index)
    if (count === 0) {
      rows.push(...lineRows(lines[index]!, index, width, style))
      index++
      continue
    }
    const texts = lines.slice(index, index + count).map(({ text }) => text)
    for (const row of diffRows(texts, { style, width })) rows.push({ text: row.text, line: index + row.line })
    index += count
  }
  return rows
}
