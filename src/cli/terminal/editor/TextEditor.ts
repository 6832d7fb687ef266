import * as Option from "effect/Option"
import { many } from "../../../ui/Words.ts"
import { isCtrl, type Key } from "../Key.ts"
import { columns } from "../Layout.ts"
import type { BottomLine } from "../Drawing.ts"
import type { Style } from "../Style.ts"
import { EditorRows, placeAt, placeIn } from "./editorRows.ts"
import { FoldedPastes } from "./FoldedPastes.ts"
import { KillRing } from "./KillRing.ts"
import { TextBuffer } from "./TextBuffer.ts"

/** Texts that are recalled, and their characters in all. */
const recalledLimit = 200
const recalledSize = 4 * 1024 * 1024

/** What was sent: as it was typed, with folded pastes, and as it is read. */
export interface Sent {
  readonly typed: string
  readonly text: string
}

/** A text as it is typed, and where the cursor is in it. */
export interface Typed {
  readonly typed: string
  readonly at: number
}

/** What is seen of a text that may have more rows than there is room for. */
export interface EditorView {
  readonly rows: ReadonlyArray<string>
  /** Where the cursor is among them. */
  readonly row: number
  readonly column: number
  /** Rows above and below them. */
  readonly above: number
  readonly below: number
}

/** A text being typed: what a key does to it, without a terminal. */
export class TextEditor {
  private readonly buffer = new TextBuffer()
  private readonly pastes = new FoldedPastes()
  private readonly laidOut = new EditorRows((sign) => this.pastes.label(sign))
  private readonly killed = new KillRing()
  private readonly recalled: Array<string> = []
  private size = 0
  /** How far back in what was sent; 0 is the text being typed. */
  private back = 0
  private draft = ""
  private width = 80
  /** The column that the cursor is moved in from row to row. */
  private goal: number | undefined
  /** What was put back last, which the next key may exchange. */
  private yanked: { readonly from: number; readonly to: number } | undefined

  /** The text as it is read, folded pastes whole. */
  get text(): string {
    return this.pastes.expand(this.buffer.text)
  }

  /** Replaces the text; the cursor is at its end. */
  set text(text: string) {
    this.buffer.set(text.toWellFormed())
  }

  /** The text as it is typed, where a folded paste is one character. */
  get typed(): string {
    return this.buffer.text
  }

  set typed(typed: string) {
    this.buffer.set(typed)
  }

  /** What is typed, to be put back later. */
  get state(): Typed {
    return { typed: this.buffer.text, at: this.buffer.at }
  }

  set state({ at, typed }: Typed) {
    this.buffer.set(typed)
    this.buffer.moveTo(at)
  }

  get isEmpty(): boolean {
    return this.buffer.text === ""
  }

  /** Texts of earlier times that `up` brings back, the latest last; those that it brings back already stay where they are. */
  remember(texts: ReadonlyArray<string>): void {
    const known = new Set(this.recalled)
    const older = texts.filter((text) => !known.has(text))
    this.recalled.unshift(...older)
    this.size += older.reduce((sum, text) => sum + text.length, 0)
    this.bound()
  }

  /** Replaces a part of what is typed, e.g. a word by its completion. */
  replace(from: number, to: number, text: string): void {
    this.buffer.replace(from, to, text.toWellFormed())
  }

  /** What was sent when Enter ends it. */
  press(key: Key): Sent | undefined {
    const { meta, name, shift } = key.key
    const { goal, yanked } = this
    this.goal = undefined
    this.yanked = undefined
    const kills = this.kills(key)
    if (!kills) this.killed.rest()
    if (kills) return undefined
    const { buffer } = this
    if (name === "return" && !meta && !shift) {
      if (buffer.text[buffer.at - 1] !== "\\") return this.submit()
      buffer.replace(buffer.at - 1, buffer.at, "\n")
    } else if (name === "paste") buffer.insert(this.pastes.fold(Option.getOrElse(key.input, () => "")))
    else if (name === "enter" || name === "return") buffer.insert("\n")
    else if (name === "backspace" || isCtrl(key, "h")) buffer.cut(buffer.before, buffer.at)
    else if (name === "delete" || isCtrl(key, "d")) buffer.cut(buffer.at, buffer.after)
    else if (isCtrl(key, "_")) buffer.undo()
    else if (isCtrl(key, "y")) this.yank(buffer.at, buffer.at)
    else if (meta && name === "y" && yanked !== undefined) {
      this.killed.rotate()
      this.yank(yanked.from, yanked.to)
    } else if (!this.moves(key, goal)) this.types(key)
    return undefined
  }

  /** The text in rows of `width` columns, `most` of them around the cursor. */
  view(width: number, most: number): EditorView {
    this.width = width
    const all = this.laidOut.of(this.buffer.text, width)
    const { column, row } = placeIn(all, this.buffer.at)
    const first = Math.max(0, Math.min(row - Math.floor(most / 2), all.length - most))
    const rows = all.slice(first, first + most).map(({ text }) => text)
    return { rows, row: row - first, column, above: first, below: all.length - first - rows.length }
  }

  /** Empties the text, which is recalled as if it had been sent. */
  discard(): void {
    this.submit()
  }

  /** Lets a text be recalled as if it had been sent; what is typed stays. */
  keep(text: string): void {
    const { state } = this
    this.text = text
    this.discard()
    this.state = state
  }

  private kills(key: Key): boolean {
    const { buffer } = this
    const { meta, name } = key.key
    if (isCtrl(key, "u")) this.killed.push(buffer.cut(buffer.lineStart, buffer.at), "front")
    else if (isCtrl(key, "w")) this.killed.push(buffer.cut(buffer.wordBefore("blank"), buffer.at), "front")
    else if (meta && name === "backspace") this.killed.push(buffer.cut(buffer.wordBefore("word"), buffer.at), "front")
    else if (isCtrl(key, "k")) {
      const end = buffer.lineEnd === buffer.at ? buffer.after : buffer.lineEnd
      this.killed.push(buffer.cut(buffer.at, end), "behind")
    } else if (meta && name === "d") this.killed.push(buffer.cut(buffer.at, buffer.wordAfter("word")), "behind")
    else return false
    return true
  }

  private yank(from: number, to: number): void {
    const { buffer } = this
    if (this.killed.latest === "") return
    buffer.replace(from, to, this.killed.latest)
    this.yanked = { from, to: buffer.at }
  }

  private moves(key: Key, goal: number | undefined): boolean {
    const { buffer } = this
    const { ctrl, meta, name } = key.key
    if (meta && (name === "b" || name === "left")) buffer.moveTo(buffer.wordBefore("word"))
    else if (meta && (name === "f" || name === "right")) buffer.moveTo(buffer.wordAfter("word"))
    else if (ctrl && name === "left") buffer.moveTo(buffer.wordBefore("word"))
    else if (ctrl && name === "right") buffer.moveTo(buffer.wordAfter("word"))
    else if (name === "left" || isCtrl(key, "b")) buffer.moveTo(buffer.before)
    else if (name === "right" || isCtrl(key, "f")) buffer.moveTo(buffer.after)
    else if (name === "home" || isCtrl(key, "a")) buffer.moveTo(buffer.lineStart)
    else if (name === "end" || isCtrl(key, "e")) buffer.moveTo(buffer.lineEnd)
    else if (name === "up" || isCtrl(key, "p")) this.vertical(-1, goal)
    else if (name === "down" || isCtrl(key, "n")) this.vertical(1, goal)
    else return false
    return true
  }

  /** To the row above or below, and from the outermost to what was sent before or after. */
  private vertical(by: -1 | 1, goal: number | undefined): void {
    const rows = this.laidOut.of(this.buffer.text, this.width)
    const { column, row } = placeIn(rows, this.buffer.at)
    const next = rows[row + by]
    if (next === undefined) return this.recall(-by)
    this.buffer.moveTo(placeAt(next, goal ?? column))
    this.goal = goal ?? column
  }

  private types(key: Key): void {
    const { ctrl, meta, name } = key.key
    if (ctrl || meta) return
    const typed = Option.getOrElse(key.input, () => "").toWellFormed()
    if (typed !== "" && !typed.startsWith("\u001b") && typed >= " " && typed !== "\u007f")
      this.buffer.insert(typed, true)
    else if (name === "tab") this.buffer.insert("  ")
  }

  private recall(by: number): void {
    const next = Math.max(0, Math.min(this.recalled.length, this.back + by))
    if (next === this.back) return
    if (this.back === 0) this.draft = this.buffer.text
    this.back = next
    this.buffer.set(next === 0 ? this.draft : (this.recalled.at(-next) ?? ""))
  }

  private submit(): Sent {
    const typed = this.buffer.text
    const text = this.text
    this.buffer.clear()
    this.back = 0
    if (text.trim() !== "" && this.recalled.at(-1) !== typed) {
      this.recalled.push(typed)
      this.size += text.length
    }
    this.bound()
    this.pastes.keep([...this.recalled, ...this.killed.all])
    return { typed, text }
  }

  private bound(): void {
    while (this.recalled.length > recalledLimit || (this.size > recalledSize && this.recalled.length > 1)) {
      this.size -= this.pastes.expand(this.recalled.shift() ?? "").length
    }
  }
}

/** The text behind its mark, as the bottom of a screen: as many rows of it as there is room for. */
export const editorLine = (editor: TextEditor, mark: string, width: number, most: number, style: Style): BottomLine => {
  const before = columns(mark)
  const room = Math.max(8, width - before - 2)
  const whole = editor.view(room, Math.max(1, most))
  const hidden = whole.above + whole.below > 0
  const { above, below, column, row, rows } = hidden && most > 2 ? editor.view(room, most - 1) : whole
  const where = [...(above > 0 ? [`${many(above, "row")} above`] : []), ...(below > 0 ? [`${below} below`] : [])]
  const drawn = rows.map((text, index) => `${index === 0 ? mark : " ".repeat(before)}${text}`)
  return {
    above: [...(hidden && most > 2 ? [style.dim(`… ${where.join(", ")}`)] : []), ...drawn.slice(0, -1)],
    text: drawn.at(-1) ?? mark,
    cursor: before + column,
    up: rows.length - 1 - row
  }
}
