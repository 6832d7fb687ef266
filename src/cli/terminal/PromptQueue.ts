import { visibleLine } from "../../text/visible.ts"
import type { Sent } from "./editor/TextEditor.ts"
import { fit } from "./Layout.ts"
import type { Style } from "./Style.ts"

/** Prompts that wait; a person who types more has stopped reading. */
const limit = 32

/** Rows of them. */
const shown = 3

const hint = "↑ edits it"

/** What was typed while a task runs, in the order of its coming, and perhaps that nothing more follows. */
export class PromptQueue {
  private waiting: Array<Sent> = []
  private ended = false

  get isFull(): boolean {
    return this.waiting.length >= limit
  }

  get isEmpty(): boolean {
    return this.waiting.length === 0 && !this.ended
  }

  push(sent: Sent): void {
    this.waiting.push(sent)
  }

  /** Nothing follows what waits. */
  end(): void {
    this.ended = true
  }

  /** The next one; nothing where none waits. */
  shift(): Sent | "end" | undefined {
    const next = this.waiting.shift()
    if (next !== undefined || !this.ended) return next
    this.ended = false
    return "end"
  }

  /** Takes the last one back. */
  pop(): Sent | undefined {
    return this.waiting.pop()
  }

  /** Takes all of them back. */
  takeAll(): ReadonlyArray<Sent> {
    const all = this.waiting
    this.waiting = []
    this.ended = false
    return all
  }

  rows(width: number, style: Style): ReadonlyArray<string> {
    const latest = this.waiting.slice(-shown)
    const more = this.waiting.length - latest.length
    return [
      ...(more > 0 ? [style.dim(`─ ${more} more queued ─`)] : []),
      ...latest.map(({ text }, index) => {
        const tail = index === latest.length - 1 ? `   ${hint} ─` : " ─"
        return style.dim(`─ queued: ${fit(`"${visibleLine(text)}"`, Math.max(8, width - 12 - tail.length))}${tail}`)
      })
    ]
  }
}
