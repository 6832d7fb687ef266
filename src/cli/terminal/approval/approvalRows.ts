import { continuationMark, type Line, marginMark } from "../../../approval/rendering/Line.ts"
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

/**
 * Lines as rows of a screen. What is not the runtime's own stands behind a mark in every row, another where a line goes on,
 * and nothing of it is left out.
 */
export const rowsOf = (lines: ReadonlyArray<Line>, width: number, style: Style): ReadonlyArray<Row> =>
  lines.flatMap((line, index) => {
    const room = Math.max(2, width - marginMark.length)
    if (!line.margin) return wrap(line.text, room).map((text) => ({ text: painted(line, text, style), line: index }))
    const prose = line.kind === "summary" || line.kind === "context"
    return (prose ? wrap : pieces)(line.text, room).map((text, at) => ({
      text: `${style.dim(at === 0 ? marginMark : continuationMark)}${painted(line, text, style)}`,
      line: index
    }))
  })
