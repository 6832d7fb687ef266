import { makeVisible } from "../../../text/visible.ts"

const escape = "\u001b"
const sequence = new RegExp(`${escape}\\[([0-9;]*)m`, "g")

const isByte = (code: number | undefined): code is number => code !== undefined && code <= 255

/** The codes that colour or weigh: none of them hides, moves or asks anything. */
const isPlain = (code: number): boolean =>
  code <= 4 ||
  code === 7 ||
  code === 9 ||
  code === 22 ||
  code === 23 ||
  code === 24 ||
  code === 27 ||
  code === 29 ||
  (code >= 30 && code <= 37) ||
  code === 39 ||
  (code >= 40 && code <= 47) ||
  code === 49 ||
  (code >= 90 && code <= 97) ||
  (code >= 100 && code <= 107)

/** The codes of a sequence that are known, written anew from their numbers. */
const rebuilt = (given: string): string => {
  const codes = given.split(";").slice(0, 32).map(Number)
  const kept: Array<number> = []
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at]!
    if (code === 38 || code === 48) {
      const count = codes[at + 1] === 5 ? 3 : codes[at + 1] === 2 ? 5 : 0
      const all = codes.slice(at, at + count)
      if (count > 0 && all.length === count && all.every(isByte)) kept.push(...all)
      at += Math.max(1, count - 1)
    } else if (isPlain(code)) kept.push(code)
  }
  return kept.length === 0 ? "" : `${escape}[${kept.join(";")}m`
}

/** A row of a program's output: its colours where they may be, everything else that acts made visible. */
export const painted = (line: string, coloured: boolean): string => {
  const tabless = line.replaceAll("\t", "    ")
  if (!tabless.includes(escape)) return makeVisible(tabless)
  let paints = false
  const text = tabless
    .split(sequence)
    .map((part, index) => {
      if (index % 2 === 0) return makeVisible(part)
      const codes = coloured ? rebuilt(part) : ""
      paints ||= codes !== ""
      return codes
    })
    .join("")
  return paints ? `${text}${escape}[0m` : text
}
