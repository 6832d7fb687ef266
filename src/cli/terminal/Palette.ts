import type * as Effect from "effect/Effect"
import { visibleLine } from "../../text/visible.ts"
import { columns, fit } from "./Layout.ts"
import type { Style } from "./Style.ts"

/** What could stand in the place of what is being typed. */
export interface Suggestion {
  readonly word: string
  readonly summary?: string
}

export interface Suggestions {
  /** The part of the typed text that a suggestion replaces. */
  readonly from: number
  readonly to: number
  /** The best first. */
  readonly items: ReadonlyArray<Suggestion>
  /** What Enter does: takes the selected one, sends what is typed, or takes it and sends. */
  readonly enter: "takes" | "sends" | "takes and sends"
}

/** What is suggested for a text and the place of the cursor in it; nothing if unset. */
export type Suggest = (typed: string, at: number) => Effect.Effect<Suggestions | undefined>

/** Rows of suggestions. */
const shown = 6

/** Suggestions below what is typed, one of them selected. */
export class Palette {
  private readonly suggestions: Suggestions
  private selected = 0

  constructor(suggestions: Suggestions) {
    this.suggestions = suggestions
  }

  get enter(): Suggestions["enter"] {
    return this.suggestions.enter
  }

  move(by: 1 | -1): void {
    const { length } = this.suggestions.items
    this.selected = (this.selected + by + length) % length
  }

  /** The selected one and the part that it replaces. */
  get taken(): { readonly from: number; readonly to: number; readonly word: string } {
    const { from, items, to } = this.suggestions
    return { from, to, word: items[this.selected]?.word ?? "" }
  }

  /** Whether what is typed is one of them already. */
  isTyped(typed: string): boolean {
    const { from, items, to } = this.suggestions
    return items.some(({ word }) => word === typed.slice(from, to))
  }

  /** The selected one among its neighbours in `most` rows at most, the last of which tells of further ones. */
  rows(width: number, style: Style, most: number): ReadonlyArray<string> {
    const { items } = this.suggestions
    const whole = items.length <= Math.min(shown, most)
    const length = whole ? items.length : Math.max(1, Math.min(shown, most - 1))
    const first = Math.max(0, Math.min(this.selected - length + 1, items.length - length))
    const seen = items.slice(first, first + length)
    const words = seen.map(({ word }) => fit(visibleLine(word), Math.max(12, Math.floor(width * 0.6))))
    const wide = Math.max(...words.map(columns))
    const rows = seen.map(({ summary = "" }, index) => {
      const word = words[index] ?? ""
      const isSelected = first + index === this.selected
      const name = isSelected ? style.cyan(style.bold(word)) : word
      const about = summary === "" ? "" : `${" ".repeat(wide - columns(word))}  ${style.dim(visibleLine(summary))}`
      return fit(`${isSelected ? style.cyan("❯") : " "} ${name}${about}`, width - 1)
    })
    const below = items.length - first - length
    const more = [...(first > 0 ? [`${first} more above`] : []), ...(below > 0 ? [`${below} more below`] : [])]
    return more.length === 0 || most < 2 ? rows : [...rows, style.dim(fit(`  ${more.join(" · ")}`, width - 1))]
  }
}
