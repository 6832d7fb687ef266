/** The beginning and the end of a text, with what is missing between them. */
export interface Captured {
  readonly head: string
  /** Empty where nothing was dropped. */
  readonly tail: string
  readonly droppedBytes: number
  readonly droppedLines: number
}

/** Whether a text may be one that `render` has put together of two ends. */
export const isCut = (text: string): boolean => /\n\u2026 \d+ bytes \(\d+ lines\) left out \u2026\n/.test(text)

/** The text, with a line in place of what is missing. */
export const render = ({ head, tail, droppedBytes, droppedLines }: Captured): string =>
  droppedBytes === 0 ? head : `${head}\n… ${droppedBytes} bytes (${droppedLines} lines) left out …\n${tail}`

const newline = 10

const linesIn = (text: string): number => {
  let count = 0
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) === newline) count++
  return count
}

/** A text that is measured once, however many captures it goes to. */
export interface Piece {
  readonly text: string
  readonly bytes: number
  readonly lines: () => number
}

export const piece = (text: string, bytes = Buffer.byteLength(text)): Piece => {
  let lines: number | undefined
  return { text, bytes, lines: () => (lines ??= linesIn(text)) }
}

/** Bytes up to which neighbouring chunks are joined, which keeps the list short. */
const small = 4096

const encoder = new TextEncoder()

/** The longest beginning of at most `bytes` bytes that splits no code point. */
const fitting = (text: string, bytes: number): string =>
  text.slice(0, encoder.encodeInto(text, new Uint8Array(bytes)).read)

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** The longest end of at most `bytes` bytes that splits no code point. */
const ending = (text: string, bytes: number): string => {
  const encoded = Buffer.from(text)
  let from = Math.max(0, encoded.length - bytes)
  while (isContinuation(encoded[from])) from++
  return encoded.toString("utf8", from)
}

export interface Capture {
  readonly append: (piece: Piece) => void
  readonly result: () => Captured
}

/** Keeps half of `limit` bytes of UTF-8 from either end of what is appended; its memory is bounded by that and one piece. */
export const make = (limit: number): Capture => {
  const tailLimit = limit >> 1
  let headRoom = limit - tailLimit
  let headFull = false
  let head = ""
  const tail: Array<Piece> = []
  let tailBytes = 0
  let droppedBytes = 0
  let droppedLines = 0

  /** What of a piece goes to the tail. */
  const afterHead = (whole: Piece): Piece => {
    if (headFull) return whole
    const fits = whole.bytes <= headRoom ? whole.text : fitting(whole.text, headRoom)
    head += fits
    headRoom -= Buffer.byteLength(fits)
    headFull = fits !== whole.text
    return piece(whole.text.slice(fits.length))
  }
  const append = (whole: Piece): void => {
    const rest = afterHead(whole)
    if (rest.text === "") return
    const last = tail.at(-1)
    if (last && last.bytes + rest.bytes <= small)
      tail[tail.length - 1] = piece(last.text + rest.text, last.bytes + rest.bytes)
    else tail.push(rest)
    tailBytes += rest.bytes
    for (let first = tail[0]; first && tailBytes - first.bytes >= tailLimit; first = tail[0]) {
      droppedBytes += first.bytes
      droppedLines += first.lines()
      tailBytes -= first.bytes
      tail.shift()
    }
  }
  const result = (): Captured => {
    const kept = tail.map(({ text }) => text).join("")
    const end = ending(kept, tailLimit)
    const cut = piece(kept.slice(0, kept.length - end.length))
    const bytes = droppedBytes + cut.bytes
    return bytes === 0
      ? { head: head + end, tail: "", droppedBytes: 0, droppedLines: 0 }
      : { head: head, tail: end, droppedBytes: bytes, droppedLines: droppedLines + cut.lines() }
  }
  return { append, result }
}
