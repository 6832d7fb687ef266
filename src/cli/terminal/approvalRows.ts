import stringWidth from "string-width"
import { continuationMark, type Line, marginMark } from "../../approval/rendering/Line.ts"
import { eachGrapheme } from "../../text/graphemes.ts"
import { wrap } from "./Layout.ts"
import type { Style } from "./Style.ts"

/** One row of a screen, and the line that it is part of. */
export interface Row {
  readonly text: string
  readonly line: number
}

const ascii = /^[ -~]*$/
/** What terminals disagree about: some make what stands before it wider. */
const widening = /[\u20e3\ufe0f]/u

const cells = (character: string): number => (widening.test(character) ? 1 : stringWidth(character))

/** The most columns that any terminal gives to a text, those included that take no joined characters for one. */
const most = (text: string): number => {
  let sum = 0
  for (const character of text) sum += cells(character)
  return sum
}

/** A line as rows that no terminal breaks, none of it left out. */
const pieces = (line: string, width: number): ReadonlyArray<string> => {
  if (ascii.test(line)) {
    return line === ""
      ? [line]
      : Array.from({ length: Math.ceil(line.length / width) }, (_, at) => line.slice(at * width, (at + 1) * width))
  }
  const rows = [""]
  let used = 0
  const put = (text: string, wide: number) => {
    if (used + wide > width) {
      rows.push("")
      used = 0
    }
    rows[rows.length - 1] += text
    used += wide
  }
  for (const { segment } of eachGrapheme(line)) {
    const wide = most(segment)
    if (wide <= width) put(segment, wide)
    else for (const character of segment) put(character, most(character))
  }
  return rows
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
