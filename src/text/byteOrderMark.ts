/** What Windows editors put before a UTF-8 text; it is no part of it. */
export const byteOrderMark = "\u{feff}"

/** The text of a file without the mark before it. */
export const unmarked = (text: string): string => (text.startsWith(byteOrderMark) ? text.slice(1) : text)
