const begin = "\u001b[200~"
const end = "\u001b[201~"
/** As terminals send it, and as those do that tell modifiers. */
const ctrlC: ReadonlyArray<string> = ["\u0003", "\u001b[99;5u"]

/** Characters that one paste may have; what comes after them is left out, and the text says so. */
const pasteLimit = 4 * 1024 * 1024
const left = () => `\n[the paste was cut here: it had more than ${pasteLimit.toLocaleString("en-US")} characters]`

/** A piece of what a terminal sends: keys that were pressed, or the whole of what was pasted. */
export type Piece = { readonly _tag: "Keys" | "Pasted"; readonly text: string }

/** How much of a mark a text ends with, `least` characters of it or more. */
const begun = (text: string, mark: string, least: number): number => {
  for (let length = Math.min(mark.length - 1, text.length); length >= least; length--) {
    if (text.endsWith(mark.slice(0, length))) return length
  }
  return 0
}

/**
 * Parts what is pasted, which terminals send between two marks, from what is typed: a line break in a paste is none of the
 * person's. Ctrl-C that comes alone drops a paste whose end does not come, and a second one ends it.
 */
export class Pastes {
  /** What has come of a paste; nothing while keys are pressed. */
  private parts: Array<string> | undefined
  private size = 0
  /** The last characters, which may be the beginning of a mark. */
  private rest = ""
  private dropped = false
  /** Escape was the last key; it is not held back, because it is usually pressed alone. */
  private escaped = false

  push(chunk: string): ReadonlyArray<Piece> {
    if (this.parts !== undefined && ctrlC.includes(chunk)) {
      if (this.dropped) this.parts = undefined
      else this.drop()
      return [{ _tag: "Keys", text: chunk }]
    }
    const pieces: Array<Piece> = []
    let text = this.rest + chunk
    this.rest = ""
    if (this.escaped && text.startsWith(begin.slice(1))) {
      pieces.push({ _tag: "Keys", text: begin.slice(1) })
      text = text.slice(begin.length - 1)
      this.start()
    }
    while (text !== "") {
      const mark = this.parts === undefined ? begin : end
      const at = text.indexOf(mark)
      const kept = at >= 0 ? 0 : begun(text, mark, this.parts === undefined ? 2 : 1)
      const some = at >= 0 ? text.slice(0, at) : text.slice(0, text.length - kept)
      if (this.parts !== undefined) this.keep(some)
      else if (some !== "") pieces.push({ _tag: "Keys", text: some })
      if (at < 0) {
        this.rest = text.slice(text.length - kept)
        break
      }
      if (this.parts === undefined) this.start()
      else {
        if (!this.dropped) pieces.push({ _tag: "Pasted", text: this.parts.join("") })
        this.parts = undefined
      }
      text = text.slice(at + mark.length)
    }
    this.escaped = this.parts === undefined && chunk.endsWith("\u001b")
    return pieces
  }

  private start(): void {
    this.parts = []
    this.size = 0
    this.dropped = false
  }

  private drop(): void {
    this.parts = []
    this.rest = ""
    this.dropped = true
  }

  private keep(text: string): void {
    if (this.dropped || this.size > pasteLimit) return
    this.size += text.length
    const over = this.size - pasteLimit
    this.parts?.push(over <= 0 ? text : text.slice(0, text.length - over) + left())
  }
}
