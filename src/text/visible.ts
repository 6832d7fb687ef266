import { graphemes } from "./graphemes.ts"

/** Emoji made of several characters, whose joiners and selectors belong there; the source of an expression. */
export const emoji =
  "[#*0-9]\\ufe0f?\\u20e3|\\p{Extended_Pictographic}(?:\\ufe0f|\\p{Emoji_Modifier})?(?:\\u200d\\p{Extended_Pictographic}(?:\\ufe0f|\\p{Emoji_Modifier})?)*"

/** Controls except newline and tab, formats (bidi, zero width, tags), separators that look like a space or a line, half pairs; the source of an expression. */
export const unseen =
  "(?![\\n\\t])\\p{Cc}|\\p{Cf}|\\p{Cs}|\\p{Zl}|\\p{Zp}|(?![ \\u3000])\\p{Zs}|\\p{Default_Ignorable_Code_Point}|\\u2800"

/** Compiling it takes longer than a program has to start, so it waits for a text that is not plain. */
let either: RegExp | undefined

const plain = /^[\t\n -~]*$/

/** The visible glyph of a control character. */
export const picture = (code: number): string | undefined =>
  code < 0x20 ? String.fromCodePoint(0x2400 + code) : code === 0x7f ? "␡" : undefined

/** A character as an escape that names it, `\u{202E}`. */
export const escaped = (character: string): string => `\\u{${character.codePointAt(0)!.toString(16).toUpperCase()}}`

/**
 * Shows what a terminal or a reader would not: `␛` for escape, `␍` for carriage return, `\u{202E}` for a bidi override and
 * whatever else has no glyph. Newline and tab stay.
 */
export const makeVisible = (text: string): string => {
  if (plain.test(text)) return text
  either ??= new RegExp(`(${emoji})|(?:${unseen})`, "gu")
  return text.replaceAll(either, (found: string, kept: string | undefined) => {
    if (kept !== undefined) return kept
    return picture(found.codePointAt(0)!) ?? escaped(found)
  })
}

/** The same on one line: `␊` for a newline, `⇥` for a tab. */
export const visibleLine = (text: string): string => makeVisible(text).replaceAll("\n", "␊").replaceAll("\t", "⇥")

/** The same on one line as a title or a list has it, with a space for white space of any kind. */
export const oneLine = (text: string): string => makeVisible(text.replaceAll(/\s+/gu, " "))

let hidden: RegExp | undefined

/** JSON text that says the same with an escape for every character that a terminal or a reader would not show. */
export const visibleJson = (json: string): string => {
  if (plain.test(json)) return json
  hidden ??= new RegExp(unseen, "gu")
  const inJson = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
  return json.replaceAll(hidden, (found) => found.split("").map(inJson).join(""))
}

/** The last boundary between graphemes at or before `index`, and the first at or after it. */
const boundaries = (text: string, index: number): readonly [before: number, after: number] => {
  const found = graphemes(text).containing(index)
  if (!found || found.index === index) return [index, index]
  return [found.index, found.index + found.segment.length]
}

/** Shortens a text to at most `max` UTF-16 units by its middle, between graphemes, and says how many units that took. */
export const cutMiddle = (text: string, max: number): string => {
  if (text.length <= max) return text
  const sign = (count: number) => ` … [${count} characters cut] … `
  const room = max - sign(text.length).length
  if (room <= 0) return text.slice(0, boundaries(text, Math.max(0, max))[0])
  const [head] = boundaries(text, Math.ceil(room / 2))
  const [, end] = boundaries(text, text.length - Math.floor(room / 2))
  return text.slice(0, head) + sign(end - head) + text.slice(end)
}
