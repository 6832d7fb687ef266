import * as Option from "effect/Option"
import { eachGrapheme } from "../redaction/graphemes.ts"
import { columns } from "./Layout.ts"
import { isCtrl, type Key } from "./Keyboard.ts"

const split = (text: string): ReadonlyArray<string> => Array.from(eachGrapheme(text), ({ segment }) => segment)

/** Lines that are remembered. */
const historyLimit = 200

/** A line being typed: what a key does to it, without a terminal. */
export class LineEditor {
  private left: ReadonlyArray<string> = []
  private right: ReadonlyArray<string> = []
  private readonly history: Array<string> = []
  /** How far back in the history; 0 is the line being typed. */
  private back = 0
  private draft = ""
  private pasting = false

  get text(): string {
    return [...this.left, ...this.right].join("")
  }

  set text(text: string) {
    this.left = split(text)
    this.right = []
  }

  /** The line when Enter ends it. */
  press(key: Key): string | undefined {
    const { name } = key.key
    if (name === "paste-start" || name === "paste-end") {
      this.pasting = name === "paste-start"
      return undefined
    }
    if (name === "return" || name === "enter") {
      if (!this.pasting && name === "return") return this.submit()
      this.insert("\n")
    } else if (name === "backspace" || isCtrl(key, "h")) this.left = this.left.slice(0, -1)
    else if (name === "delete" || isCtrl(key, "d")) this.right = this.right.slice(1)
    else if (name === "left" || isCtrl(key, "b")) this.move(-1)
    else if (name === "right" || isCtrl(key, "f")) this.move(1)
    else if (name === "home" || isCtrl(key, "a")) this.move(-this.left.length)
    else if (name === "end" || isCtrl(key, "e")) this.move(this.right.length)
    else if (name === "up" || isCtrl(key, "p")) this.recall(1)
    else if (name === "down" || isCtrl(key, "n")) this.recall(-1)
    else if (isCtrl(key, "u")) this.left = []
    else if (isCtrl(key, "k")) this.right = []
    else if (isCtrl(key, "w")) this.left = split(this.left.join("").replace(/\S+\s*$/u, ""))
    else if (!key.key.ctrl && !key.key.meta) {
      const typed = Option.getOrElse(key.input, () => "")
      if (typed !== "" && !typed.startsWith("\u001b") && typed >= " " && typed !== "\u007f") this.insert(typed)
      else if (name === "tab") this.insert("  ")
    }
    return undefined
  }

  /** The line and the column of the cursor in a window of `width` columns around it; line breaks show as `⏎`. */
  view(width: number): { readonly text: string; readonly cursor: number } {
    const seen = (parts: ReadonlyArray<string>) => parts.map((part) => (part === "\n" ? "⏎" : part))
    let left = seen(this.left)
    while (left.length > 0 && columns(left.join("")) > width - 1) left = left.slice(1)
    const before = left.join("")
    return { text: before + seen(this.right).join(""), cursor: columns(before) }
  }

  private insert(text: string): void {
    this.left = split(this.left.join("") + text)
  }

  private move(by: number): void {
    const all = [...this.left, ...this.right]
    const at = Math.max(0, Math.min(all.length, this.left.length + by))
    this.left = all.slice(0, at)
    this.right = all.slice(at)
  }

  private recall(by: number): void {
    const next = Math.max(0, Math.min(this.history.length, this.back + by))
    if (next === this.back) return
    if (this.back === 0) this.draft = this.text
    this.back = next
    this.text = next === 0 ? this.draft : (this.history.at(-next) ?? "")
  }

  private submit(): string {
    const line = this.text
    this.text = ""
    this.back = 0
    if (line.trim() !== "" && this.history.at(-1) !== line) this.history.push(line)
    if (this.history.length > historyLimit) this.history.shift()
    return line
  }
}
