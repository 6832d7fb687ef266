import { escaped } from "./visible.ts"

/** Characters that a prompt cannot show as they run: controls, joiners, direction marks, fillers, odd blanks, lone surrogates. */
const unseen = /(?![\t\n ])[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Of these, joiners and blanks that honest texts hold too: emoji, names, what was copied from a page. */
const harmless = /^(?:\p{Zs}|\u00ad|\u200c|\u200d|\ufe0e|\ufe0f)$/u

/** Whether every character of a text that a reader cannot see is one that honest texts hold. */
export const isOnlyJoined = (text: string): boolean =>
  [...text.matchAll(new RegExp(unseen, "gu"))].every(([found]) => harmless.test(found))

/** The first code point of a text that a reader cannot see or would take for another, as `U+200B`. */
export const firstUnseen = (text: string): string | undefined => {
  const found = unseen.exec(text)?.[0]
  return found === undefined ? undefined : `U+${found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`
}

/** Which character of a text nobody sees, and where: `Contains U+200D, which is invisible: a\u{200D}b`. */
export const shownUnseen = (text: string, found: string): string => {
  const shown = text.replaceAll(new RegExp(unseen, "gu"), escaped)
  const at = Math.max(0, text.search(unseen) - 20)
  return `Contains ${found}, which is invisible: ${excerpt(shown.slice(at))}`
}

/** The first UTF-16 units of a text, one less where that many would end inside a character. */
export const cutCharacters = (text: string, units: number): string => {
  const last = text.charCodeAt(units - 1)
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? units - 1 : units)
}

/** At most `limit` characters of a text, cut between words: redaction would not recognize half a secret. */
export const cutWords = (text: string, max: number): string => {
  if (text.length <= max) return text
  const end = Math.max(...[" ", "\n", "\t"].map((blank) => text.lastIndexOf(blank, max - 1)))
  return `${text.slice(0, end + 1)}…`
}

/** At most 60 characters of a text on one line, in quotes, for use in a reason. */
export const excerpt = (text: string): string => `\`${cutWords(text.replaceAll(/\s+/g, " "), 59)}\``
