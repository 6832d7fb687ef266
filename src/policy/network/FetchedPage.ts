import { decodeText } from "./Charset.ts"

/** How a body is to be read; the bytes of `binary` are not kept. */
export type PageKind = "html" | "json" | "text" | "binary"

export interface FetchedPage {
  readonly status: number
  /** Where the last redirect led. */
  readonly url: string
  /** As the server says it, `""` if it does not. */
  readonly contentType: string
  readonly kind: PageKind
  /** `""` for `binary`. */
  readonly text: string
  /** Decoded bytes that were read. */
  readonly size: number
  /** There was more than the limit lets through. */
  readonly truncated: boolean
  /** When the server wants to be asked again, if it says so. */
  readonly retryAfterMillis?: number
}

const textual =
  /^text\/|[/+](?:xml|yaml|toml|csv|markdown)$|\/(?:x-)?(?:javascript|ecmascript|typescript|sh|sql|graphql|x-www-form-urlencoded)$/

const named = (contentType: string): PageKind | undefined => {
  const type = contentType.split(";", 1)[0]!.trim().toLowerCase()
  if (type === "") return undefined
  if (type === "text/html" || type === "application/xhtml+xml") return "html"
  if (/[/+](?:json|x-ndjson|ndjson|jsonl)$/.test(type)) return "json"
  return textual.test(type) ? "text" : "binary"
}

const sniffed = (text: string): PageKind => (/^\s{0,100}<(?:!doctype html|html)\b/i.test(text) ? "html" : "text")

/** Reads what a server sent by what it says it is, and by what it looks like where it says nothing. */
export const page = (answer: {
  readonly status: number
  readonly url: string
  readonly contentType: string
  readonly bytes: Uint8Array
  readonly truncated: boolean
  readonly maxBytes: number
}): FetchedPage => {
  const { bytes, contentType, status, url } = answer
  const common = { status, url, contentType, size: bytes.byteLength }
  const binary = { ...common, kind: "binary" as const, text: "", truncated: answer.truncated }
  const claimed = named(contentType)
  if (claimed === "binary") return binary
  const decoded = decodeText(bytes, answer)
  if (decoded.text.includes("\0")) return binary
  return { ...common, ...decoded, kind: claimed ?? sniffed(decoded.text) }
}
