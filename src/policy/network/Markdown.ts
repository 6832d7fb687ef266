import * as Url from "../../text/Url.ts"
import type { Attributes, Reads } from "./Html.ts"

/** Quotes and items inside one another that are indented; deeper ones stand at the same place. */
const maxIndent = 8
/** Characters of an address; a link with a longer one is shown as its text alone. */
const maxAddress = 2048

const absolute = (address: string | undefined, base: string): string | undefined => {
  const url = address && address.length <= maxAddress ? Url.parsed(address, base) : undefined
  return url && ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim()

const marks: Readonly<Record<string, string>> = { b: "**", strong: "**", i: "_", em: "_", s: "~~", del: "~~" }

/** The shortest run of backticks, at least `least` long, that a text does not have. */
const fence = (text: string, least: number): string => {
  let longest = 0
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return "`".repeat(longest < least ? least : longest + 1)
}

/** A text between marks that touch it, its own white space outside of them. */
const between = (text: string, open: string, close: string): string => {
  const inner = text.trim()
  if (inner === "") return text
  const at = text.indexOf(inner)
  return `${text.slice(0, at)}${open}${inner}${close}${text.slice(at + inner.length)}`
}

/** What begins somewhere in the line and is marked once it ends. */
interface Span {
  readonly name: string
  /** Parts of the line in front of it. */
  readonly from: number
  readonly marked: (text: string) => string
}

interface List {
  readonly ordered: boolean
  next: number
}

/** Writes what is read of a page as Markdown. Characters that have a meaning in Markdown stay as they are. */
export class Markdown implements Reads {
  private readonly lines: Array<string> = []
  /** The line that is being written; what the spans of it have in common is joined when they end. */
  private parts: Array<string> = []
  private spans: Array<Span> = []
  /** Whether an empty line stands between what is written and what comes. */
  private apart = false
  private lead = ""
  private readonly indents: Array<string> = []
  /** Indents of the line before. */
  private depth = 0
  /** What the next line has in place of the last indent, e.g. the mark of an item. */
  private bullet: string | undefined
  private readonly lists: Array<List> = []
  private pre: { language: string; readonly parts: Array<string> } | undefined
  private row: { readonly cells: Array<string>; heads: number } | undefined
  /** Cells inside one another. */
  private cell = 0

  private readonly base: string

  constructor(base: string) {
    this.base = base
  }

  get written(): string {
    this.flush()
    return this.lines.join("\n")
  }

  text(text: string): void {
    if (this.pre !== undefined) {
      this.pre.parts.push(text)
      return
    }
    const plain = text.replaceAll(/\s+/g, " ")
    const last = this.parts.at(-1)
    const said = last === undefined || last.endsWith(" ") || last.endsWith("\n") ? plain.replace(/^ /, "") : plain
    if (said !== "") this.parts.push(said)
  }

  open(name: string, attributes: Attributes): void {
    if (this.pre !== undefined) {
      if (name === "code")
        this.pre.language ||= /(?:^|\s)lang(?:uage)?-(\S{1,40})/.exec(attributes.get("class") ?? "")?.[1] ?? ""
      else if (name === "br") this.pre.parts.push("\n")
      return
    }
    const mark = marks[name]
    if (mark !== undefined) this.span(name, (text) => between(text, mark, mark))
    else if (name === "code") {
      this.span(name, (text) => {
        const ticks = fence(text, 1)
        const room = ticks.length > 1 ? " " : ""
        return between(text, ticks + room, room + ticks)
      })
    } else if (name === "a") {
      const address = absolute(attributes.get("href"), this.base)
      this.span(name, (text) => (address === undefined ? text : between(text, "[", `](${address})`)))
    } else if (name === "img") {
      const alt = oneLine(attributes.get("alt") ?? "")
      const address = absolute(attributes.get("src"), this.base)
      this.parts.push(address === undefined ? alt : `![${alt}](${address})`)
    } else if (name === "br") this.flush()
    else this.openBlock(name, attributes)
  }

  close(name: string): void {
    if (this.pre !== undefined) {
      if (name === "pre") this.closeCode()
      return
    }
    const opened = this.spans.findLastIndex((span) => span.name === name)
    if (opened !== -1) {
      // What is left open inside of it ends with it.
      for (let left = this.spans.length - opened; left > 0; left--) this.endSpan()
    } else if (name === "td" || name === "th") this.closeCell(name)
    else if (name === "tr") this.closeRow()
    else if (!(name in marks) && name !== "a" && name !== "code") this.closeBlock(name)
  }

  private openBlock(name: string, attributes: Attributes): void {
    if ((name === "td" || name === "th") && this.cell++ === 0 && this.row !== undefined) {
      this.flush()
      return
    }
    if (name === "tr" && this.cell === 0) {
      this.flush()
      this.row = { cells: [], heads: 0 }
      return
    }
    const isTight = name === "li" || name === "dd"
    this.flush()
    if (this.cell > 0 && name !== "pre") return
    if (!isTight && !(this.lists.length > 0 && (name === "ul" || name === "ol"))) this.apart = true
    if (/^h[1-6]$/.test(name)) this.lead = `${"#".repeat(Number(name[1]))} `
    else if (name === "title") this.lead = "Title: "
    else if (name === "hr") this.write("* * *")
    else if (name === "ul" || name === "ol") {
      this.lists.push({ ordered: name === "ol", next: Math.trunc(Number(attributes.get("start") ?? 1)) || 1 })
    } else if (name === "li") {
      const list = this.lists.at(-1)
      this.bullet = list?.ordered ? `${list.next++}.`.padEnd(4) : "-   "
      this.indents.push("    ")
    } else if (name === "blockquote") this.indents.push("> ")
    else if (name === "pre") this.pre = { language: "", parts: [] }
  }

  private closeBlock(name: string): void {
    this.flush()
    if (this.cell > 0) return
    if (name === "li" || name === "blockquote") {
      this.indents.pop()
      this.bullet = undefined
    } else if (name === "ul" || name === "ol") this.lists.pop()
    this.lead = ""
    if (name !== "li" && name !== "dd" && !((name === "ul" || name === "ol") && this.lists.length > 0))
      this.apart = true
  }

  private closeCode(): void {
    const { language = "", parts = [] } = this.pre ?? {}
    this.pre = undefined
    const code = parts
      .join("")
      .replace(/^\r?\n/, "")
      .trimEnd()
    if (this.cell > 0) return this.text(code)
    const ticks = fence(code, 3)
    if (code !== "") for (const line of [`${ticks}${language}`, ...code.split("\n"), ticks]) this.write(line)
    this.apart = true
  }

  private closeCell(name: string): void {
    if (--this.cell > 0 || this.row === undefined) return this.text(" ")
    this.row.cells.push(oneLine(this.taken()))
    if (name === "th") this.row.heads++
  }

  private closeRow(): void {
    if (this.cell > 0) return this.text(" ")
    const { cells = [], heads = 0 } = this.row ?? {}
    this.row = undefined
    if (cells.length > 0) this.write(`| ${cells.join(" | ")} |`)
    if (heads > 0) this.write(`|${" --- |".repeat(heads)}`)
  }

  private span(name: string, marked: Span["marked"]): void {
    this.spans.push({ name, from: this.parts.length, marked })
  }

  private endSpan(): void {
    const span = this.spans.pop()
    if (span === undefined) return
    const text = this.parts.splice(span.from).join("")
    if (text !== "") this.parts.push(span.marked(text))
  }

  /** The line so far. What is open in it ends with it: no mark spans two lines. */
  private taken(): string {
    while (this.spans.length > 0) this.endSpan()
    const text = this.parts.join("").trim()
    this.parts = []
    return text
  }

  private flush(): void {
    if (this.cell > 0) return this.text(" ")
    // A link around a heading goes on in it.
    if (this.parts.length === 0) return
    const text = this.taken()
    if (text === "") return
    this.write(this.lead + text)
    this.lead = ""
  }

  private write(line: string): void {
    const indents = this.indents.slice(0, maxIndent)
    if (this.apart && this.lines.length > 0) {
      const shared = indents.slice(0, this.depth)
      this.lines.push(
        shared
          .map((one) => (one === "> " ? one : "    "))
          .join("")
          .trimEnd()
      )
    }
    this.apart = false
    this.depth = indents.length
    const bulleted = this.bullet !== undefined && indents.length === this.indents.length
    const indent = bulleted ? [...indents.slice(0, -1), this.bullet] : indents
    this.bullet = undefined
    this.lines.push((indent.join("") + line).trimEnd())
  }
}
