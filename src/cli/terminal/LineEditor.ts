import * as Option from "effect/Option"
import { eachGrapheme } from "../../text/graphemes.ts"
import { makeVisible } from "../../text/visible.ts"
import { many } from "../../ui/Words.ts"
import { columns } from "./Layout.ts"
import { isCtrl, type Key } from "./Keyboard.ts"
import type { BottomLine } from "./Screen.ts"
import type { Style } from "./Style.ts"

/** Lines that are remembered, and their characters in all. */
const historyLimit = 200
const historySize = 4 * 1024 * 1024

/** Characters beside the cursor in which a whole grapheme is looked for. */
const near = 200

const lengths = (text: string): ReadonlyArray<number> => Array.from(eachGrapheme(text), ({ segment }) => segment.length)

/** What is pasted without what no key types. */
const pasted = (text: string): string => text.replaceAll(/\r\n?/g, "\n").replaceAll(/[^\P{Cc}\n\t]/gu, "")

/** A grapheme as it stands in one row. */
const inRow = (segment: string): string => (segment === "\n" ? "⏎" : segment === "\t" ? " " : makeVisible(segment))

/** What is seen of a line that may be longer than there is room for. */
export interface EditorRows {
  readonly rows: ReadonlyArray<string>
  /** Where the cursor is among them. */
  readonly row: number
  readonly column: number
  /** Characters in front of them. */
  readonly before: number
}

/** A line being typed: what a key does to it, without a terminal. A key costs the same however long the line is. */
export class LineEditor {
  private whole = ""
  /** Where the cursor is, always between two graphemes. */
  private at = 0
  private readonly history: Array<string> = []
  private remembered = 0
  /** How far back in the history; 0 is the line being typed. */
  private back = 0
  private draft = ""

  get text(): string {
    return this.whole
  }

  set text(text: string) {
    this.whole = text
    this.at = text.length
  }

  /** The line when Enter ends it. */
  press(key: Key): string | undefined {
    const { name } = key.key
    if (name === "return" && !key.key.meta) return this.submit()
    if (name === "paste") this.insert(pasted(Option.getOrElse(key.input, () => "")))
    else if (name === "enter" || name === "return") this.insert("\n")
    else if (name === "backspace" || isCtrl(key, "h")) this.cut(this.before(), this.at)
    else if (name === "delete" || isCtrl(key, "d")) this.cut(this.at, this.after())
    else if (name === "left" || isCtrl(key, "b")) this.at = this.before()
    else if (name === "right" || isCtrl(key, "f")) this.at = this.after()
    else if (name === "home" || isCtrl(key, "a")) this.at = 0
    else if (name === "end" || isCtrl(key, "e")) this.at = this.whole.length
    else if (name === "up" || isCtrl(key, "p")) this.recall(1)
    else if (name === "down" || isCtrl(key, "n")) this.recall(-1)
    else if (isCtrl(key, "u")) this.cut(0, this.at)
    else if (isCtrl(key, "k")) this.cut(this.at, this.whole.length)
    else if (isCtrl(key, "w")) this.cut(this.wordBefore(), this.at)
    else if (!key.key.ctrl && !key.key.meta) {
      const typed = Option.getOrElse(key.input, () => "")
      if (typed !== "" && !typed.startsWith("\u001b") && typed >= " " && typed !== "\u007f") this.insert(typed)
      else if (name === "tab") this.insert("  ")
    }
    return undefined
  }

  /** The line and the column of the cursor in a window of `width` columns around it; line breaks show as `⏎`. */
  view(width: number): { readonly text: string; readonly cursor: number } {
    // No terminal shows more characters than a few for each column.
    const some = Math.max(near, width * 4)
    const seen = (text: string) => Array.from(eachGrapheme(text), ({ segment }) => inRow(segment))
    const left = seen(this.whole.slice(Math.max(0, this.at - some), this.at))
    let from = left.length
    for (let used = 0; from > 0; from--) {
      used += columns(left[from - 1] ?? "")
      if (used > width - 1) break
    }
    const before = left.slice(from).join("")
    return { text: before + seen(this.whole.slice(this.at, this.at + some)).join(""), cursor: columns(before) }
  }

  /** The line as rows of `width` columns, `most` of them around the cursor; line breaks show as `⏎`. */
  rows(width: number, most: number): EditorRows {
    const some = Math.max(near, width * 4) * most
    let passed = Math.max(0, this.at - some)
    const all = [{ text: "", from: passed }]
    let used = 0
    let cursor: { readonly row: number; readonly column: number } | undefined
    const begin = () => {
      all.push({ text: "", from: passed })
      used = 0
    }
    for (const { segment } of eachGrapheme(this.whole.slice(passed, this.at + some))) {
      const shown = inRow(segment)
      const wide = columns(shown)
      if (used + wide > width) begin()
      if (cursor === undefined && passed >= this.at) cursor = { row: all.length - 1, column: used }
      all[all.length - 1]!.text += shown
      used += wide
      passed += segment.length
      if (segment === "\n") begin()
    }
    if (cursor === undefined && used === width) begin()
    const { column, row } = cursor ?? { row: all.length - 1, column: used }
    const first = Math.max(0, Math.min(row - Math.floor(most / 2), all.length - most))
    const rows = all.slice(first, first + most)
    return { rows: rows.map(({ text }) => text), row: row - first, column, before: rows[0]?.from ?? 0 }
  }

  private insert(text: string): void {
    this.whole = this.whole.slice(0, this.at) + text + this.whole.slice(this.at)
    this.at = this.boundary(this.at + text.length)
  }

  private cut(from: number, to: number): void {
    this.whole = this.whole.slice(0, from) + this.whole.slice(to)
    this.at = this.boundary(from)
  }

  /** The first place between two graphemes from `at` on: what now stands side by side may be one. */
  private boundary(at: number): number {
    let passed = Math.max(0, at - near)
    for (const length of lengths(this.whole.slice(passed, at + near))) {
      if (passed >= at) break
      passed += length
    }
    return Math.max(passed, at)
  }

  private before(): number {
    return this.at - (lengths(this.whole.slice(Math.max(0, this.at - near), this.at)).at(-1) ?? 0)
  }

  private after(): number {
    return this.at + (lengths(this.whole.slice(this.at, this.at + near))[0] ?? 0)
  }

  private wordBefore(): number {
    const isBlank = (at: number) => /\s/u.test(this.whole[at] ?? "")
    let at = this.at
    while (at > 0 && isBlank(at - 1)) at--
    while (at > 0 && !isBlank(at - 1)) at--
    return at
  }

  private recall(by: number): void {
    const next = Math.max(0, Math.min(this.history.length, this.back + by))
    if (next === this.back) return
    if (this.back === 0) this.draft = this.text
    this.back = next
    this.text = next === 0 ? this.draft : (this.history.at(-next) ?? "")
  }

  /** Empties the line, which is remembered as if it had been sent. */
  discard(): void {
    this.submit()
  }

  private submit(): string {
    const line = this.text
    this.text = ""
    this.back = 0
    if (line.trim() !== "" && this.history.at(-1) !== line) {
      this.history.push(line)
      this.remembered += line.length
    }
    while (this.history.length > historyLimit || (this.remembered > historySize && this.history.length > 1)) {
      this.remembered -= this.history.shift()?.length ?? 0
    }
    return line
  }
}

/** Rows of one line, which a low screen shows fewer of. */
const editorRows = 8

/** The line behind its question, as the bottom of a screen: as many rows of it as there is room for. */
export const editorLine = (
  editor: LineEditor,
  question: string,
  width: number,
  most: number,
  style: Style
): BottomLine => {
  const before = columns(question)
  const { before: hidden, column, row, rows } = editor.rows(Math.max(8, width - before - 2), Math.min(editorRows, most))
  const above = hidden === 0 ? [] : [style.dim(`… ${many(hidden, "character")} above`)]
  const drawn = rows.map((text, index) => `${index === 0 ? question : " ".repeat(before)}${text}`)
  return {
    above: [...above, ...drawn.slice(0, -1)],
    text: drawn.at(-1) ?? question,
    cursor: before + column,
    up: rows.length - 1 - row
  }
}
