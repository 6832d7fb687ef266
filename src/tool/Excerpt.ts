import { graphemes } from "../text/graphemes.ts"

/** The two ends of a text that is too long, and what is missing between them. */
export interface Excerpt {
  readonly head: string
  readonly tail: string
  readonly totalBytes: number
  readonly droppedBytes: number
  readonly droppedLines: number
}

const encoder = new TextEncoder()

/** Code units. What is longer is cut between code points, or nothing of it might be shown. */
const longestGrapheme = 256

const linesIn = (text: string): number => text.split("\n").length - 1

/** Code units of the longest beginning of at most `bytes` bytes of UTF-8 that splits no code point. */
const fitting = (text: string, bytes: number): number => encoder.encodeInto(text, new Uint8Array(bytes)).read

/** Where the grapheme that `index` is inside of begins and ends; both are `index` where one begins there. */
const around = (segments: Intl.Segments, index: number): { readonly start: number; readonly end: number } => {
  const found = segments.containing(index)
  return found === undefined || found.index === index || found.segment.length > longestGrapheme
    ? { start: index, end: index }
    : { start: found.index, end: found.index + found.segment.length }
}

/** The first code unit of the longest end of at most `bytes` bytes of UTF-8 that splits no code point. */
const endingAt = (text: string, bytes: number): number => {
  let from = text.length
  let left = bytes
  while (from > 0) {
    const low = text.charCodeAt(from - 1)
    const high = from > 1 ? text.charCodeAt(from - 2) : 0
    const pair = (low & 0xfc00) === 0xdc00 && (high & 0xfc00) === 0xd800
    const cost = pair ? 4 : low < 0x80 ? 1 : low < 0x800 ? 2 : 3
    if (cost > left) break
    left -= cost
    from -= pair ? 2 : 1
  }
  return from
}

/**
 * Two thirds of `limit` bytes of UTF-8 from the beginning and one third from the end, cut between graphemes; undefined
 * if the text fits.
 */
export const excerpt = (text: string, limit: number): Excerpt | undefined => {
  // A code unit is at most three bytes of UTF-8.
  if (text.length * 3 <= limit) return undefined
  const totalBytes = Buffer.byteLength(text)
  if (totalBytes <= limit) return undefined
  const tailBytes = Math.floor(limit / 3)
  const segments = graphemes(text)
  const headEnd = around(segments, fitting(text, limit - tailBytes)).start
  const tailStart = Math.max(headEnd, around(segments, endingAt(text, tailBytes)).end)
  const dropped = text.slice(headEnd, tailStart)
  return {
    head: text.slice(0, headEnd),
    tail: text.slice(tailStart),
    totalBytes,
    droppedBytes: Buffer.byteLength(dropped),
    droppedLines: linesIn(dropped)
  }
}
