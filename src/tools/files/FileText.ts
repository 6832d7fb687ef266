import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

export type Encoding = "utf-8" | "utf-8-bom" | "utf-16le" | "utf-16be"

export interface FileText {
  /** Without a byte order mark. */
  readonly text: string
  /** Write the text back in it, or the file silently changes its encoding. */
  readonly encoding: Encoding
}

/** A file's bytes are not text in an encoding that can be written back unchanged; the size is in bytes. */
export class NotText extends Schema.TaggedError<NotText>()("NotText", {
  problem: Schema.Literal("binary", "encoding"),
  size: Schema.Number
}) {
  override get message() {
    return this.problem === "binary"
      ? `The file is binary (${this.size} bytes); it is neither shown nor edited as text`
      : `The file is neither UTF-8 nor UTF-16 with a byte order mark (${this.size} bytes); an edit would change more than it says. Convert it first`
  }
}

const marks: ReadonlyArray<readonly [Encoding, ReadonlyArray<number>, label: string]> = [
  ["utf-8-bom", [0xef, 0xbb, 0xbf], "utf-8"],
  ["utf-16le", [0xff, 0xfe], "utf-16le"],
  ["utf-16be", [0xfe, 0xff], "utf-16be"]
]

/** The encoding that a byte order mark names, else UTF-8, with the name that decoders know and the length of the mark. */
export const detect = (bytes: Uint8Array) => {
  const mark = marks.find(([, prefix]) => prefix.every((byte, index) => bytes[index] === byte))
  const [encoding, prefix, label] = mark ?? (["utf-8", [], "utf-8"] as const)
  return { encoding, label, length: prefix.length }
}

/** Reads bytes as text: by the byte order mark if there is one, else as UTF-8. A NUL means binary. */
export const decodeText = (bytes: Uint8Array): Either.Either<FileText, NotText> => {
  const failed = (problem: NotText["problem"]) => new NotText({ problem, size: bytes.length })
  const { encoding, label, length } = detect(bytes)
  const body = bytes.subarray(length)
  if (label === "utf-8" && body.includes(0)) return Either.left(failed("binary"))
  return Either.flatMap(
    Either.try({
      try: () => new TextDecoder(label, { fatal: true, ignoreBOM: true }).decode(body),
      catch: () => failed("encoding")
    }),
    (text) => (text.includes("\0") ? Either.left(failed("binary")) : Either.right({ text, encoding }))
  )
}

/** The bytes of a text in the encoding it came in. */
export const encodeText = ({ encoding, text }: FileText): Uint8Array => {
  const body = encoding.startsWith("utf-16") ? Buffer.from(text, "utf16le") : Buffer.from(text, "utf8")
  if (encoding === "utf-16be") body.swap16()
  const prefix = marks.find(([name]) => name === encoding)?.[1] ?? []
  return new Uint8Array(Buffer.concat([Uint8Array.from(prefix), body]))
}
