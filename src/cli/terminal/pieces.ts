import stringWidth from "string-width"
import { eachGrapheme } from "../../text/graphemes.ts"

const ascii = /^[ -~]*$/
/** What terminals disagree about: some make what stands before it wider. */
const widening = /[\u20e3\ufe0f]/u

const cells = (character: string): number => (widening.test(character) ? 1 : stringWidth(character))

/** The most columns that any terminal gives to a text, those included that take no joined characters for one. */
export const mostColumns = (text: string): number => {
  if (ascii.test(text)) return text.length
  let sum = 0
  for (const character of text) sum += cells(character)
  return sum
}

/** Behind the last blank of a row that would be cut in a word, unless that leaves half of it empty. */
const breakOf = (row: string, next: string): number => {
  const at = row.lastIndexOf(" ") + 1
  return next === "" || next === " " || at <= row.length / 2 ? row.length : at
}

const asciiPieces = (line: string, width: number): ReadonlyArray<string> => {
  const rows: Array<string> = []
  for (let from = 0; from < line.length; from += rows.at(-1)?.length ?? 0) {
    const row = line.slice(from, from + width)
    rows.push(row.slice(0, breakOf(row, line.slice(from + width, from + width + 1))))
  }
  return rows
}

/** A line as rows that no terminal breaks, between words where that is possible, and none of it left out. */
export const pieces = (line: string, width: number): ReadonlyArray<string> => {
  if (ascii.test(line)) {
    return line === "" ? [line] : asciiPieces(line, width)
  }
  const rows = [""]
  let used = 0
  const put = (text: string, wide: number) => {
    if (used + wide > width) {
      const row = rows.at(-1) ?? ""
      const at = breakOf(row, text)
      rows[rows.length - 1] = row.slice(0, at)
      rows.push(row.slice(at))
      used = mostColumns(row.slice(at))
    }
    rows[rows.length - 1] += text
    used += wide
  }
  for (const { segment } of eachGrapheme(line)) {
    const wide = mostColumns(segment)
    if (wide <= width) put(segment, wide)
    else for (const character of segment) put(character, mostColumns(character))
  }
  return rows
}
