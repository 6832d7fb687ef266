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

/** A line as rows that no terminal breaks, none of it left out. */
export const pieces = (line: string, width: number): ReadonlyArray<string> => {
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
    const wide = mostColumns(segment)
    if (wide <= width) put(segment, wide)
    else for (const character of segment) put(character, mostColumns(character))
  }
  return rows
}
