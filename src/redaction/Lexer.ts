export type LexemeKind = "newline" | "space" | "quote" | "angle" | "piece" | "window"

export interface Lexeme {
  readonly kind: LexemeKind
  readonly end: number
}

/** Characters: a piece is held back until it ends or is this long. */
export const windowSize = 8192

const backslash = 0x5c
const apostrophe = 0x27

const isNewline = (at: number): boolean => at === 0x0a || at === 0x0d || at === 0x2028 || at === 0x2029
const isSpace = (at: number): boolean => at === 0x20 || at === 0x09 || at === 0x0b || at === 0x0c || at === 0xa0
const isAngle = (at: number): boolean => at === 0x3c || at === 0x3e
const isQuote = (at: number): boolean => at === 0x22 || at === apostrophe || at === 0x60
const isLetter = (at: number): boolean => (at >= 0x41 && at <= 0x5a) || (at >= 0x61 && at <= 0x7a)

const spaces = (text: string, start: number): number => {
  let end = start + 1
  while (end < text.length && isSpace(text.charCodeAt(end))) end++
  return end
}

/** Where the run of backslashes at `i` ends, as far as the window reaches. */
const backslashes = (text: string, start: number, i: number): number => {
  let end = i
  while (end < text.length && end - start < windowSize && text.charCodeAt(end) === backslash) end++
  return end
}

/**
 * The lexeme at `start`, or none while more text could change it: a quote with the backslashes before it, a run of spaces,
 * or a piece, which is everything between. Where one ends depends on the text alone, never on how it was cut into chunks;
 * only spaces may come in several runs.
 */
export const lex = (text: string, start: number, final: boolean): Lexeme | undefined => {
  const first = text.charCodeAt(start)
  if (isNewline(first)) return { kind: "newline", end: start + 1 }
  if (isAngle(first)) return { kind: "angle", end: start + 1 }
  if (isSpace(first)) return { kind: "space", end: spaces(text, start) }
  let i = start
  while (i < text.length) {
    if (i - start >= windowSize) return { kind: "window", end: start + windowSize }
    const at = text.charCodeAt(i)
    if (isSpace(at) || isNewline(at) || isAngle(at)) break
    const after = at === backslash ? backslashes(text, start, i) : i
    if (after - start < windowSize && after === text.length) {
      if (!final) return undefined
      i = after
    } else if (isQuote(text.charCodeAt(after))) {
      const within = after === i && at === apostrophe && i > start && isLetter(text.charCodeAt(i - 1))
      if (within && i + 1 === text.length && !final) return undefined
      if (!within || !isLetter(text.charCodeAt(i + 1))) {
        return i === start ? { kind: "quote", end: after + 1 } : { kind: "piece", end: i }
      }
      i++
    } else i = Math.max(after, i + 1)
  }
  return i < text.length || final ? { kind: "piece", end: i } : undefined
}
