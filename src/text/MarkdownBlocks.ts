/** A part of an answer that is complete in Markdown's terms. */
export interface Block {
  readonly kind: "markdown" | "code" | "plain"
  readonly text: string
  /** Of code, the word behind its fence. */
  readonly language?: string
  /** It goes on where the block before it was cut. */
  readonly continues: boolean
}

/** Characters of a line, and of a block, that are taken for Markdown; what is longer is cut and plain. */
const lineLimit = 4096
const blockLimit = 12 * 1024
const codeLimit = 64 * 1024
/** Marks of quotes and lists that may be nested in one line. */
const deep = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])){17}/

const fence = /^( {0,3})(`{3,})([^`]*)$|^( {0,3})(~{3,})(.*)$/
const innerFence = /^\s*(?:(?:[-*+]|\d{1,9}[.)]) +)?(`{3,}|~{3,})/
const heading = /^ {0,3}#{1,6}(?: |$)/
const item = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/
const interrupting = /^ {0,3}(?:[-*+]|1[.)])\s+\S/
const rule = /^ {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$/

const closes = (line: string, mark: string): boolean => {
  const text = line.trim()
  return text.length >= mark.length && text === mark[0]!.repeat(text.length)
}

/** Cuts a text that comes in pieces of any size into blocks, the same ones however it is cut. */
export class Blocks {
  private partial = ""
  private lines: Array<string> = []
  private size = 0
  private kind: "none" | "paragraph" | "list" | "code" = "none"
  private mark = ""
  private language = ""
  /** The fence inside of a list that is open. */
  private inner = ""
  private continues = false
  private out: Array<Block> = []

  push(text: string): ReadonlyArray<Block> {
    const lines = text.split("\n")
    for (const [index, line] of lines.entries()) {
      if (index > 0) {
        this.line(this.partial.replace(/\r$/, ""))
        this.partial = ""
      }
      this.partial += line
      this.cut()
    }
    return this.taken()
  }

  end(): ReadonlyArray<Block> {
    if (this.partial !== "") this.line(this.partial)
    this.partial = ""
    this.emit()
    return this.taken()
  }

  /** What is not complete: the last of it, and whether it is code. */
  get rest(): { readonly text: string; readonly code: boolean } {
    return { text: [...this.lines, this.partial].join("\n"), code: this.kind === "code" }
  }

  private taken(): ReadonlyArray<Block> {
    const { out } = this
    this.out = []
    return out
  }

  /** Gives away the beginning of a line that is too long. */
  private cut(): void {
    const limit = this.kind === "code" ? codeLimit : lineLimit
    while (this.partial.length > limit) {
      const head = this.partial.slice(0, limit)
      const blank = head.lastIndexOf(" ") + 1
      const end = blank > limit / 2 ? blank : /[\ud800-\udbff]$/.test(head) ? limit - 1 : limit
      if (this.kind !== "code" && this.lines.length > 0) this.emit()
      this.lines.push(this.partial.slice(0, end))
      this.emit(this.kind === "code" ? "code" : "plain", true)
      this.partial = this.partial.slice(end)
    }
  }

  private line(line: string): void {
    if (this.kind === "code") {
      if (closes(line, this.mark)) return this.emit()
      this.add(line)
      return
    }
    if (this.inner !== "") {
      if (closes(line, this.inner)) this.inner = ""
      this.add(line)
      return
    }
    if (line.trim() === "") {
      if (this.kind === "list") this.add("")
      else this.emit()
      return
    }
    const inList = this.kind === "list" && /^(?: {2}|\t)/.test(line)
    if (inList) {
      this.inner = innerFence.exec(line)?.[1] ?? ""
      this.add(line)
      return
    }
    const opened = fence.exec(line)
    if (opened !== null) {
      this.emit()
      this.kind = "code"
      this.mark = opened[2] ?? opened[5] ?? ""
      this.language = (opened[3] ?? opened[6] ?? "").trim().split(/[\s{]/)[0] ?? ""
      return
    }
    if (heading.test(line)) {
      this.emit()
      this.add(line)
      this.emit()
      return
    }
    if (this.kind === "list") {
      const after = this.lines.at(-1) === ""
      if (!item.test(line) && after) {
        this.emit()
        this.kind = "paragraph"
      } else this.inner = innerFence.exec(line)?.[1] ?? ""
      this.add(line)
      return
    }
    const lists = !rule.test(line) && (this.kind === "none" ? item : interrupting).test(line)
    if (lists) {
      this.emit()
      this.kind = "list"
      this.inner = innerFence.exec(line)?.[1] ?? ""
    } else if (this.kind === "none") this.kind = "paragraph"
    this.add(line)
  }

  private add(line: string): void {
    this.lines.push(line)
    this.size += line.length + 1
    if (this.kind === "code" ? this.size > codeLimit : this.size > blockLimit) {
      this.emit(this.kind === "code" ? "code" : "plain", true)
    }
  }

  /** Completes a block; where it was cut, more of it may come. */
  private emit(kind?: "plain" | "code", cut = false): void {
    const isCode = this.kind === "code"
    if (!isCode) this.lines = this.lines.slice(0, this.lines.findLastIndex((line) => line !== "") + 1)
    if (this.lines.length > 0 || (isCode && !this.continues)) {
      const text = this.lines.join("\n")
      const plain = kind === "plain" || (!isCode && this.lines.some((line) => deep.test(line)))
      this.out.push({
        kind: isCode ? "code" : plain ? "plain" : "markdown",
        text,
        ...(isCode && this.language !== "" ? { language: this.language } : {}),
        continues: this.continues
      })
    }
    this.lines = []
    this.size = 0
    this.continues = cut
    this.inner = ""
    if (!(cut && isCode)) this.kind = "none"
  }
}
