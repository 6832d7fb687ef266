import { TextDecoder, TextEncoder } from "node:util"

const marks: ReadonlyArray<readonly [charset: string, mark: ReadonlyArray<number>]> = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]]
]

const decoderFor = (label: string): TextDecoder => {
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder("utf-8")
  }
}

/** The byte order mark wins over the header, the header over a `meta` element, UTF-8 is the rest. */
const labelOf = (bytes: Uint8Array, contentType: string): string => {
  const marked = marks.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte))
  if (marked) return marked[0]
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 1024)).toString("latin1")
  const declared = /charset=["']?([\w.:-]{1,40})/i
  return (declared.exec(contentType) ?? /<meta[^>]{0,200}?charset=["']?([\w.:-]{1,40})/i.exec(head))?.[1] ?? "utf-8"
}

/** Decodes bytes to text of at most `maxBytes` of UTF-8; neither the source nor the text is cut inside a character. */
export const decodeText = (
  bytes: Uint8Array,
  options: { readonly contentType: string; readonly truncated: boolean; readonly maxBytes: number }
): { readonly text: string; readonly truncated: boolean } => {
  const text = decoderFor(labelOf(bytes, options.contentType)).decode(bytes, { stream: options.truncated })
  if (Buffer.byteLength(text) <= options.maxBytes) return { text, truncated: options.truncated }
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(options.maxBytes))
  return { text: text.slice(0, read), truncated: true }
}
