/** Controls, joiners, direction marks, fillers, odd blanks, lone surrogates: all that a prompt could not show as it runs. */
const unseen = /(?![\t\n ])[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u

/** The first code point of a text that a reader cannot see or would take for another, as `U+200B`. */
export const firstUnseen = (text: string): string | undefined => {
  const found = unseen.exec(text)?.[0]
  return found === undefined ? undefined : `U+${found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`
}

/** At most so many characters of a text, the last word whole or left out: half a secret would not be known for one. */
export const cutWords = (text: string, max: number): string => {
  if (text.length <= max) return text
  const end = Math.max(...[" ", "\n", "\t"].map((blank) => text.lastIndexOf(blank, max - 1)))
  return `${text.slice(0, end + 1)}…`
}

/** At most 60 characters of a text on one line, in quotes, for use in a reason. */
export const excerpt = (text: string): string => `\`${cutWords(text.replaceAll(/\s+/g, " "), 59)}\``
