import * as Effect from "effect/Effect"
import { TextDecoder } from "node:util"
import { FileTooLarge } from "../../policy/path/FileFailure.ts"
import { readPart } from "../../policy/path/FileReader.ts"
import type { JudgedPath } from "../../policy/path/PathPolicy.ts"
import { cutCharacters } from "../../text/excerpt.ts"
import { detect, NotText } from "./FileText.ts"
import { decodeWindows1252 } from "./Windows1252.ts"

/** In bytes: what is read at once, and how far into a file lines are looked for. */
const part = 1024 * 1024
const furthest = 256 * 1024 * 1024

/** UTF-16 units of one line that are shown, of one that is read on from a column, and of all of them. */
const maxLine = 2000
const maxRest = 32 * 1024
const maxText = 64 * 1024

/** Neighbouring lines of a file. */
export interface LineWindow {
  readonly lines: ReadonlyArray<string>
  /** The number of the first, from 1. */
  readonly first: number
  /** All lines of the file, where its end was seen. */
  readonly total: number | undefined
  /** Lines that were shortened. */
  readonly cut: number
  /** The file is not UTF-8 and was taken for windows-1252. */
  readonly western: boolean
}

/** Where a read begins: a line, and a character of it, from 1 each. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Takes lines of a text that comes in pieces; of a line no more than is shown is kept. */
class Window {
  readonly lines: Array<string> = []
  readonly first: number
  cut = 0
  /** There was a line for which there was no room. */
  isOver = false
  private readonly limit: number
  /** Units of the first line that are passed over. */
  private readonly skipped: number
  private seen = 0
  private size = 0
  private rest = ""
  private restLength = 0

  constructor({ column, line }: Position, limit: number) {
    this.first = line
    this.limit = limit
    this.skipped = column - 1
  }

  /** All lines so far, unless there was no room for some. */
  get total(): number | undefined {
    return this.isOver ? undefined : this.seen
  }

  /** Units of the line under way that are passed over, and that are shown. */
  private get room(): { readonly skipped: number; readonly most: number } {
    return this.seen + 1 === this.first && this.skipped > 0
      ? { skipped: this.skipped, most: maxRest }
      : { skipped: 0, most: maxLine }
  }

  private grow(text: string): void {
    const { most, skipped } = this.room
    const from = Math.max(0, skipped - this.restLength)
    this.rest += text.slice(from, from + most + 1 - this.rest.length)
    this.restLength += text.length
  }

  /** The line under way as it is shown. */
  private get line(): string {
    const { most, skipped } = this.room
    const left = Math.max(0, this.restLength - skipped)
    if (left <= most) return this.rest.endsWith("\r") ? this.rest.slice(0, -1) : this.rest
    this.cut++
    const text = cutCharacters(this.rest, most)
    const next = `offset ${this.seen + 1} and column ${skipped + text.length + 1}`
    return `${text} … [${left - text.length} more characters; read on with ${next}]`
  }

  private take(): void {
    if (this.lines.length >= this.limit || this.size >= maxText) {
      this.isOver = true
    } else {
      if (this.seen + 1 >= this.first) {
        const { line } = this
        this.lines.push(line)
        this.size += line.length + 1
      }
      this.seen++
    }
    this.rest = ""
    this.restLength = 0
  }

  push(text: string): void {
    const [head = "", ...lines] = text.split("\n")
    this.grow(head)
    for (const line of lines) {
      this.take()
      if (this.isOver) return
      this.grow(line)
    }
  }

  end(): void {
    if (this.restLength > 0) this.take()
  }
}

/** Gives nothing for bytes that are not in its encoding. */
type Decode = (bytes: Uint8Array, more: boolean) => string | undefined

const strict = (label: string): Decode => {
  const decoder = new TextDecoder(label, { fatal: true, ignoreBOM: true })
  return (bytes, stream) => {
    try {
      return decoder.decode(bytes, { stream })
    } catch {
      return undefined
    }
  }
}

const linesIn = Effect.fnUntraced(function* (
  judged: JudgedPath<"read">,
  from: Position,
  limit: number,
  western: boolean
) {
  const window = new Window(from, limit)
  let decode: Decode | undefined
  let label = ""
  for (let position = 0; ;) {
    const { bytes, size } = yield* readPart(judged, position, part)
    const atEnd = bytes.length === 0 || position + bytes.length >= size
    let body = bytes
    if (decode === undefined) {
      const found = detect(bytes)
      label = found.label
      decode = western && found.encoding === "utf-8" ? decodeWindows1252 : strict(label)
      body = bytes.subarray(found.length)
    }
    if (label === "utf-8" && body.includes(0)) return yield* new NotText({ problem: "binary", size })
    const text = decode(body, !atEnd)
    if (text === undefined) return yield* new NotText({ problem: "encoding", size })
    if (text.includes("\0")) return yield* new NotText({ problem: "binary", size })
    window.push(text)
    position += bytes.length
    if (atEnd && !window.isOver) window.end()
    if (atEnd || window.isOver) {
      return {
        lines: window.lines,
        first: from.line,
        total: window.total,
        cut: window.cut,
        western
      } satisfies LineWindow
    }
    if (position >= furthest) return yield* new FileTooLarge({ path: judged.path, size, limit: furthest })
  }
})

/** The same of a text that is at hand. */
export const linesOf = (text: string, from: Position, limit: number): LineWindow => {
  const window = new Window(from, limit)
  window.push(text)
  if (!window.isOver) window.end()
  return { lines: window.lines, first: from.line, total: window.total, cut: window.cut, western: false }
}

/** Up to `limit` lines from a position on, of a text file of any length; stops reading as soon as it has them. */
export const readLines = (judged: JudgedPath<"read">, from: Position, limit: number) =>
  Effect.catchIf(
    linesIn(judged, from, limit, false),
    (error) => error._tag === "NotText" && error.problem === "encoding",
    () => linesIn(judged, from, limit, true)
  )
