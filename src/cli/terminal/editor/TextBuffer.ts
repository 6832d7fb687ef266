import { eachGrapheme } from "../../../text/graphemes.ts"

/** Characters beside the cursor in which a whole grapheme is looked for. */
const near = 200

/** Characters beside the cursor in which the end of a word is looked for. */
const wordReach = 2000

/** States that can be gone back to. */
const undoLimit = 500

const segments = (text: string): ReadonlyArray<string> => Array.from(eachGrapheme(text), ({ segment }) => segment)

type State = { readonly text: string; readonly at: number }

/** Which characters a motion takes for part of a word. */
export type WordKind = "word" | "blank"

const isWord = (segment: string, kind: WordKind): boolean =>
  kind === "word" ? /^[\p{L}\p{N}\p{M}_]/u.test(segment) : !/^\s/u.test(segment)

/** A text and a cursor in it, always between two graphemes; an edit costs the same however long the text is. */
export class TextBuffer {
  private whole = ""
  private cursor = 0
  private undos: Array<State> = []
  /** The last edit was typing, which is undone word by word. */
  private typing = false

  get text(): string {
    return this.whole
  }

  get at(): number {
    return this.cursor
  }

  /** Replaces everything; the cursor is at the end. */
  set(text: string): void {
    this.remember()
    this.whole = text
    this.cursor = text.length
  }

  /** Empties it, and forgets what was there. */
  clear(): void {
    this.whole = ""
    this.cursor = 0
    this.undos = []
    this.typing = false
  }

  moveTo(at: number): void {
    this.cursor = this.boundary(Math.max(0, Math.min(at, this.whole.length)))
    this.typing = false
  }

  /** `typed` joins it to what was typed just before, where it is undone. */
  insert(text: string, typed = false): void {
    if (text === "") return
    const joins = typed && this.typing && !/\s/u.test(text)
    if (!joins) this.remember()
    this.typing = typed
    this.whole = this.whole.slice(0, this.cursor) + text + this.whole.slice(this.cursor)
    this.cursor = this.boundary(this.cursor + text.length)
  }

  /** Takes a part out, and gives it. */
  cut(from: number, to: number): string {
    if (from >= to) return ""
    this.remember()
    const taken = this.whole.slice(from, to)
    this.whole = this.whole.slice(0, from) + this.whole.slice(to)
    this.cursor = this.boundary(from)
    return taken
  }

  /** Puts text in place of a part, behind which the cursor is then. */
  replace(from: number, to: number, text: string): void {
    this.remember()
    this.whole = this.whole.slice(0, from) + text + this.whole.slice(to)
    this.cursor = this.boundary(from + text.length)
  }

  undo(): void {
    const state = this.undos.pop()
    if (state === undefined) return
    this.whole = state.text
    this.cursor = state.at
    this.typing = false
  }

  /** Where the grapheme before the cursor begins. */
  get before(): number {
    const slice = this.whole.slice(Math.max(0, this.cursor - near), this.cursor)
    return this.cursor - (segments(slice).at(-1)?.length ?? 0)
  }

  /** Where the grapheme after the cursor ends. */
  get after(): number {
    return this.cursor + (segments(this.whole.slice(this.cursor, this.cursor + near))[0]?.length ?? 0)
  }

  get lineStart(): number {
    return this.cursor === 0 ? 0 : this.whole.lastIndexOf("\n", this.cursor - 1) + 1
  }

  get lineEnd(): number {
    const end = this.whole.indexOf("\n", this.cursor)
    return end < 0 ? this.whole.length : end
  }

  wordBefore(kind: WordKind): number {
    const all = segments(this.whole.slice(Math.max(0, this.cursor - wordReach), this.cursor))
    let index = all.length
    let at = this.cursor
    const back = (word: boolean) => {
      for (; index > 0 && isWord(all[index - 1] ?? "", kind) === word; index--) at -= all[index - 1]?.length ?? 0
    }
    back(false)
    back(true)
    return at
  }

  wordAfter(kind: WordKind): number {
    const all = segments(this.whole.slice(this.cursor, this.cursor + wordReach))
    let index = 0
    let at = this.cursor
    const on = (word: boolean) => {
      for (; index < all.length && isWord(all[index] ?? "", kind) === word; index++) at += all[index]?.length ?? 0
    }
    on(false)
    on(true)
    return at
  }

  private remember(): void {
    this.undos.push({ text: this.whole, at: this.cursor })
    if (this.undos.length > undoLimit) this.undos.shift()
    this.typing = false
  }

  /** The first place between two graphemes from `at` on: what now stands side by side may be one. */
  private boundary(at: number): number {
    let passed = Math.max(0, at - near)
    for (const segment of segments(this.whole.slice(passed, at + near))) {
      if (passed >= at) break
      passed += segment.length
    }
    return Math.max(passed, at)
  }
}
