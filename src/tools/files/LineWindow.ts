import * as Effect from "effect/Effect"
import { TextDecoder } from "node:util"
import { FileTooLarge } from "../../policy/path/FileFailure.ts"
import { readPart } from "../../policy/path/FileReader.ts"
import type { JudgedPath } from "../../policy/path/PathPolicy.ts"
import { detect, NotText } from "./FileText.ts"

/** In bytes: what is read at once, and how far into a file lines are looked for. */
const part = 1024 * 1024
const furthest = 256 * 1024 * 1024

/** UTF-16 units of one line that are shown, and of all of them. */
const maxLine = 2000
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
}

const shown = (line: string, length: number): string => {
  if (length > maxLine) return `${line.slice(0, maxLine)} … [${length - maxLine} more characters]`
  return line.endsWith("\r") ? line.slice(0, -1) : line
}

/** Takes lines of a text that comes in pieces; of a line no more than is shown is kept. */
class Window {
  readonly lines: Array<string> = []
  readonly first: number
  cut = 0
  /** There was a line for which there was no room. */
  isOver = false
  private readonly limit: number
  private seen = 0
  private size = 0
  private rest = ""
  private restLength = 0

  constructor(first: number, limit: number) {
    this.first = first
    this.limit = limit
  }

  /** All lines so far, unless there was no room for some. */
  get total(): number | undefined {
    return this.isOver ? undefined : this.seen
  }

  private grow(text: string): void {
    this.rest += text.slice(0, maxLine + 1 - this.rest.length)
    this.restLength += text.length
  }

  private take(): void {
    const [line, length] = [this.rest, this.restLength]
    this.rest = ""
    this.restLength = 0
    if (this.lines.length >= this.limit || this.size >= maxText) {
      this.isOver = true
      return
    }
    if (++this.seen < this.first) return
    if (length > maxLine) this.cut++
    this.lines.push(shown(line, length))
    this.size += line.length + 1
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

/** Up to `limit` lines from line `first` on, of a text file of any length; stops reading as soon as it has them. */
export const readLines = Effect.fnUntraced(function* (judged: JudgedPath<"read">, first: number, limit: number) {
  const window = new Window(first, limit)
  let decoder: TextDecoder | undefined
  let label = ""
  for (let position = 0; ;) {
    const { bytes, size } = yield* readPart(judged, position, part)
    const atEnd = bytes.length === 0 || position + bytes.length >= size
    let body = bytes
    if (decoder === undefined) {
      const found = detect(bytes)
      label = found.label
      decoder = new TextDecoder(label, { fatal: true, ignoreBOM: true })
      body = bytes.subarray(found.length)
    }
    const decode = decoder
    if (label === "utf-8" && body.includes(0)) return yield* new NotText({ problem: "binary", size })
    const text = yield* Effect.try({
      try: () => decode.decode(body, { stream: !atEnd }),
      catch: () => new NotText({ problem: "encoding", size })
    })
    if (text.includes("\0")) return yield* new NotText({ problem: "binary", size })
    window.push(text)
    position += bytes.length
    if (atEnd && !window.isOver) window.end()
    if (atEnd || window.isOver) {
      return { lines: window.lines, first, total: window.total, cut: window.cut } satisfies LineWindow
    }
    if (position >= furthest) return yield* new FileTooLarge({ path: judged.path, size, limit: furthest })
  }
})
