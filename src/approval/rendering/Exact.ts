import { emoji, picture, unseen } from "../../text/visible.ts"

/** What stands for a tab, always with three blanks behind it. */
const tab = "⇥"
/** What stands for a blank where a reader would miss it or lose count. */
const blank = "␣"
/** A run of so many blanks is counted, and of more than so many where a line begins with them. */
const run = 9
const indentation = 40

/** A mark that stands on no letter would change the character before it, which may be ours. */
const loose = "(?<!\\p{L}\\p{M}{0,3})\\p{M}"
/** Signs that this notation uses itself; in a text they are escaped, so that nothing passes for them. */
const signs = `[${tab}${blank}\\u2400-\\u2421]|\\\\(?=u\\{)`

let special: RegExp | undefined
const plain = /^ {0,40}(?:[!-[\]-~]| (?! {8}|$))*$/

const escape = (text: string): string => `\\u{${text.codePointAt(0)!.toString(16).toUpperCase()}}`

/**
 * A line in a form from which it can be read back to the last character: `⇥` for a tab, `␣[12 blanks]` for a run, `␣` for
 * each blank at its end, `␛` for a control character, `\u{202E}` for what has no glyph and for these signs themselves.
 */
export const exact = (line: string): string => {
  if (plain.test(line)) return line
  special ??= new RegExp(`(${emoji})|(?<unseen>${unseen}|\\u3000|${loose})|(?<sign>${signs})|\\t| {${run},}| +$`, "gu")
  return line.replaceAll(special, (found: string, kept: string | undefined, ...rest) => {
    if (kept !== undefined) return kept
    if (found === "\t") return `${tab}   `
    const indents = rest[2] === 0 && found.length < line.length && found.length <= indentation
    if (found.startsWith(" "))
      return indents ? found : found.length < run ? blank.repeat(found.length) : `${blank}[${found.length} blanks]`
    return picture(found.codePointAt(0)!) ?? escape(found)
  })
}

/** How many characters of a text nobody would see as they are. */
export const invisibleIn = (text: string): number => {
  let count = 0
  for (const line of text.split("\n")) {
    if (plain.test(line)) continue
    exact(line)
    for (const { groups } of line.matchAll(special!)) if (groups?.["unseen"] !== undefined) count++
  }
  return count
}
