/** The beginning and the end of a text, with what is missing between them. */
export interface Captured {
  readonly head: string
  /** Empty where nothing was dropped. */
  readonly tail: string
  readonly droppedBytes: number
  readonly droppedLines: number
}

/** The text, with a line in place of what is missing. */
export const render = ({ head, tail, droppedBytes, droppedLines }: Captured): string =>
  droppedBytes === 0 ? head : `${head}\n… ${droppedBytes} bytes (${droppedLines} lines) left out …\n${tail}`

const lines = (text: string): number => {
  let count = 0
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++
  return count
}

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
  readonly append: (text: string) => void
  readonly result: () => Captured
}

/** Keeps half of `limit` bytes of UTF-8 from either end of what is appended; its memory is bounded by that and one chunk. */
export const make = (limit: number): Capture => {
  const tailLimit = limit >> 1
  let headRoom = limit - tailLimit
  let headFull = false
  const head: Array<string> = []
  const tail: Array<{ readonly text: string; readonly bytes: number }> = []
  let tailBytes = 0
  let droppedBytes = 0
  let droppedLines = 0
  const drop = (text: string, bytes: number): void => {
    droppedBytes += bytes
    droppedLines += lines(text)
  }
  const append = (text: string): void => {
    let rest = text
    if (!headFull) {
      const fits = Buffer.byteLength(text) <= headRoom ? text : fitting(text, headRoom)
      head.push(fits)
      headRoom -= Buffer.byteLength(fits)
      rest = text.slice(fits.length)
      headFull = rest !== ""
    }
    if (rest === "") return
    const bytes = Buffer.byteLength(rest)
    tail.push({ text: rest, bytes })
    tailBytes += bytes
    for (let first = tail[0]; first && tailBytes - first.bytes >= tailLimit; first = tail[0]) {
      drop(first.text, first.bytes)
      tailBytes -= first.bytes
      tail.shift()
    }
  }
  const result = (): Captured => {
    const kept = tail.map(({ text }) => text).join("")
    const end = ending(kept, tailLimit)
    const cut = kept.slice(0, kept.length - end.length)
    const bytes = droppedBytes + Buffer.byteLength(cut)
    return bytes === 0
      ? { head: head.join("") + end, tail: "", droppedBytes: 0, droppedLines: 0 }
      : { head: head.join(""), tail: end, droppedBytes: bytes, droppedLines: droppedLines + lines(cut) }
  }
  return { append, result }
}
