import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Line } from "../../approval/rendering/Line.ts"
import { many } from "../../ui/Words.ts"
import { type Row, rowsOf } from "./approval/approvalRows.ts"
import { isCtrl, isEnter, isEscape, type Key } from "./Key.ts"
import { fit } from "./Layout.ts"
import type { Screen } from "./Screen.ts"

/** What a person reads page by page. */
export interface Paged {
  readonly lines: ReadonlyArray<Line>
  /** So many of the lines, from the first on, must have been on the screen, every row of them. */
  readonly counted: number
}

type Search = { readonly text: string; readonly typing: boolean }

/** A text on the whole screen: where it is, and what a key does to it. */
class Pages {
  private readonly screen: Screen["Type"]
  private readonly paged: Paged
  private rows: ReadonlyArray<Row> = []
  private width = 0
  private top = 0
  private search: Search = { text: "", typing: false }
  private missed = false
  /** Which rows have been on the screen. */
  private shown: Array<boolean> = []

  constructor(screen: Screen["Type"], paged: Paged) {
    this.screen = screen
    this.paged = paged
  }

  private get room(): number {
    return Math.max(1, this.screen.height() - 1)
  }

  private layOut(): void {
    const width = Math.max(8, this.screen.width() - 1)
    if (width === this.width) return
    const line = this.rows[this.top]?.line ?? 0
    const unseen = new Set(this.rows.flatMap((row, index) => (this.shown[index] === true ? [] : [row.line])))
    const first = this.width === 0
    this.width = width
    this.rows = rowsOf(this.paged.lines, width, this.screen.style)
    this.shown = this.rows.map((row) => !first && !unseen.has(row.line))
    this.top = Math.max(
      0,
      this.rows.findIndex((row) => row.line >= line)
    )
  }

  /** Whether every counted row has been on the screen. */
  private get isRead(): boolean {
    return this.rows.every((row, index) => row.line >= this.paged.counted || this.shown[index] === true)
  }

  /** Everything required has been on the screen. */
  get seen(): boolean {
    return this.width > 0 && this.isRead
  }

  private clamp(): void {
    this.top = Math.max(0, Math.min(this.top, this.rows.length - this.room))
  }

  /** The rows to show, the last of them about where this is. */
  view(): ReadonlyArray<string> {
    this.layOut()
    this.clamp()
    const shown = this.rows.slice(this.top, this.top + this.room)
    const end = this.top + shown.length
    for (let index = this.top; index < end; index++) this.shown[index] = true
    const { style } = this.screen
    const place = `${this.top + 1}–${end} of ${many(this.rows.length, "row")}`
    const { text, typing } = this.search
    const next = end < this.rows.length ? "space next  " : ""
    const back = this.top > 0 ? "b back  " : ""
    const done = next === "" ? "all read · " : "request read · "
    const read = !this.isRead ? "not all read · " : this.paged.counted === 0 ? "" : done
    const steps = text !== "" ? "n next match  " : this.hunks.length > 1 ? "n next hunk  " : ""
    const state = !this.isRead ? " unread" : this.paged.counted === 0 ? "" : next === "" ? " all read" : " read"
    const brief = `${this.top + 1}–${end}/${this.rows.length}${state} · `
    // Where there is little room, what was read and the keys by which one goes on and closes stay.
    const keys =
      [
        `${place} · ${read}${next}${back}${steps}/ search  q close`,
        `${place} · ${read}${next}${back}${steps}q close`,
        `${brief}${next}${back}${steps}q close`,
        `${brief}${next}${back}q close`,
        `${brief}${next}q close`,
        `${brief}${next}`
      ].find((one) => one.length <= this.width) ?? `${next}q close`
    const said = typing ? `/${text}` : this.missed ? `no match for ${text} · ${place}` : keys
    const status = fit(said, this.width)
    return [
      ...shown.map((row) => row.text),
      ...Array.from({ length: this.room - shown.length }, () => ""),
      typing ? status : style.cyan(status)
    ]
  }

  /** Goes to the first row from `from` on with what is looked for, or to the last one before it. */
  private find(from: number, back = false): void {
    const wanted = this.search.text.toLowerCase()
    const has = (row: Row) => this.paged.lines[row.line]?.text.toLowerCase().includes(wanted) === true
    const at = back
      ? this.rows.findLastIndex((row, index) => index < from && has(row))
      : this.rows.findIndex((row, index) => index >= from && has(row))
    this.missed = at < 0
    if (at >= 0) this.top = at
  }

  /** The rows at which the hunks of a diff begin. */
  private get hunks(): ReadonlyArray<number> {
    return this.paged.lines.flatMap((line, index) =>
      line.kind === "diff" && line.text.startsWith("@@ ") ? [this.rows.findIndex((row) => row.line >= index)] : []
    )
  }

  /** Goes to the next or the last match, or hunk where nothing is looked for. */
  private step(back: boolean): void {
    if (this.search.text !== "") return this.find(back ? this.top : this.top + 1, back)
    const { hunks, top } = this
    this.top = (back ? hunks.findLast((at) => at < top) : hunks.find((at) => at > top)) ?? top
  }

  private type(key: Key): void {
    const { text } = this.search
    if (isEscape(key)) this.search = { text: "", typing: false }
    else if (isEnter(key)) {
      this.search = { text, typing: false }
      if (text !== "") this.find(this.top)
    } else if (key.key.name === "backspace") this.search = { text: text.slice(0, -1), typing: true }
    else if (!key.key.ctrl && !key.key.meta) {
      const typed = Option.getOrElse(key.input, () => "")
      if (typed >= " ") this.search = { text: text + typed, typing: true }
    }
  }

  /** Whether the key closes it. */
  press(key: Key): boolean {
    if (this.search.typing) {
      this.type(key)
      return false
    }
    this.missed = false
    const typed = Option.getOrElse(key.input, () => "")
    const { name } = key.key
    if (typed === "q" || typed === "d" || typed === "v" || isEscape(key) || isCtrl(key, "d")) return true
    if (typed === " " || typed === "f" || name === "pagedown") this.top += this.room
    else if (typed === "b" || name === "pageup") this.top -= this.room
    else if (typed === "j" || name === "down" || isEnter(key)) this.top++
    else if (typed === "k" || name === "up") this.top--
    else if (typed === "g" || name === "home") this.top = 0
    else if (typed === "G" || name === "end") this.top = this.rows.length
    else if (typed === "/") this.search = { text: "", typing: true }
    else if (typed === "n" || typed === "N") this.step(typed === "N")
    return false
  }
}

/** Shows a text on the whole screen until a key closes it; gives whether its counted lines were seen to their end. */
export const pager = (
  screen: Screen["Type"],
  paged: Paged,
  /** The next key, while `redraw` is done again and again. */
  nextKey: (redraw: Effect.Effect<void>) => Effect.Effect<Key>
): Effect.Effect<boolean> =>
  screen.page((draw) => {
    const pages = new Pages(screen, paged)
    const redraw = draw(() => pages.view())
    const turn = Effect.map(nextKey(redraw), (key) => pages.press(key))
    return Effect.map(Effect.repeat(turn, { until: (closed) => closed }), () => pages.seen)
  })
