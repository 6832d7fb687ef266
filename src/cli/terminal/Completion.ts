import * as Effect from "effect/Effect"
import type { TextEditor, Typed } from "./editor/TextEditor.ts"
import { isCtrl, isEscape, type Key } from "./Key.ts"
import { Palette, type Suggest } from "./Palette.ts"
import type { Style } from "./Style.ts"

const none: Suggest = () => Effect.succeed(undefined)

/** Plain Enter; with a modifier it begins a new line. */
const isReturn = ({ key }: Key): boolean => key.name === "return" && !key.meta && !key.shift

/** Suggestions for what is typed, and the search of what was typed before, which keeps the text it began with. */
export class Completion {
  suggest = none
  search = none
  private readonly editor: TextEditor
  private palette: Palette | undefined
  /** What was typed when the search began; unset where nothing is searched. */
  private draft: Typed | undefined
  private missed = false
  /** Which text and place the suggestions are for. */
  private asked = ""

  constructor(editor: TextEditor) {
    this.editor = editor
  }

  get isSearching(): boolean {
    return this.draft !== undefined
  }

  rows(width: number, style: Style, most: number): ReadonlyArray<string> {
    if (this.missed) return [style.dim("  nothing matches · esc goes back")]
    return this.palette?.rows(width, style, most) ?? []
  }

  /** Lets the person type what to search for. */
  beginSearch(): void {
    this.draft = this.editor.state
    this.editor.typed = ""
    this.forget()
  }

  /** Asks for suggestions anew, e.g. where others suggest. */
  forget(): void {
    this.asked = ""
  }

  /** The search for suggestions where the text has changed; what comes too late is for a text that is gone. */
  changed(found: Effect.Effect<void>): Effect.Effect<void> | undefined {
    const { at, typed } = this.editor.state
    const now = `${at} ${typed}`
    if (now === this.asked) return undefined
    this.asked = now
    this.close()
    const searching = this.isSearching
    if (!searching && !/^\/|@/.test(typed)) return undefined
    return Effect.flatMap((searching ? this.search : this.suggest)(typed, at), (suggestions) => {
      if (now !== this.asked || suggestions === undefined) return Effect.void
      if (suggestions.items.length > 0) this.palette = new Palette(suggestions)
      else if (searching) this.missed = true
      return found
    })
  }

  /** Whether the key was for the suggestions or the search; otherwise it does what it does without them. */
  press(key: Key): boolean {
    const { palette } = this
    const { meta, name, shift } = key.key
    if (this.draft !== undefined) return this.pressInSearch(key, this.draft)
    if (palette === undefined) return false
    if (isEscape(key)) this.close()
    else if (name === "up" || name === "down") palette.move(name === "up" ? -1 : 1)
    else if (name === "tab" && !shift && !meta) this.take(palette)
    else if (isReturn(key) && palette.enter === "takes") this.take(palette)
    else {
      if (isReturn(key) && palette.enter === "takes and sends" && !palette.isTyped(this.editor.typed)) {
        this.take(palette)
      }
      return false
    }
    return true
  }

  private pressInSearch(key: Key, draft: Typed): boolean {
    const { name } = key.key
    const { palette } = this
    if (isEscape(key) || isCtrl(key, "c") || isCtrl(key, "g") || (isCtrl(key, "d") && this.editor.isEmpty)) {
      this.editor.state = draft
      this.endSearch()
    } else if (name === "up" || isCtrl(key, "p")) palette?.move(-1)
    else if (name === "down" || isCtrl(key, "n") || isCtrl(key, "r")) palette?.move(1)
    else if (isReturn(key) || name === "tab") {
      if (palette === undefined) return true
      this.editor.state = draft
      this.editor.replace(0, draft.typed.length, palette.taken.word)
      this.endSearch()
    } else return name === "return" || name === "enter"
    return true
  }

  private take(palette: Palette): void {
    const { from, to, word } = palette.taken
    this.editor.replace(from, to, `${word}${palette.enter === "sends" ? "" : " "}`)
  }

  private endSearch(): void {
    this.draft = undefined
    this.close()
  }

  private close(): void {
    this.palette = undefined
    this.missed = false
  }
}
