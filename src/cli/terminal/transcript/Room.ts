import type { Style } from "../Style.ts"
import type { RowsOptions } from "./callRows.ts"

/** Columns that one call stands to the right of the one above it. */
const step = 2

/** The room that rows have on the screen, as wide as that is by now. */
export class Room {
  private readonly style: Style
  private readonly width: () => number
  private readonly opens: boolean

  constructor({ live, style, width }: { readonly style: Style; readonly width: () => number; readonly live: boolean }) {
    this.style = style
    this.width = width
    this.opens = live
  }

  get notes(): { readonly style: Style; readonly width: number } {
    return { style: this.style, width: Math.max(20, this.width()) }
  }

  get rows(): RowsOptions {
    return { ...this.notes, opens: this.opens }
  }

  /** Rows that stand under so many calls, which leave most of a narrow screen. */
  under(depth: number, rows: (options: RowsOptions) => ReadonlyArray<string>): ReadonlyArray<string> {
    const options = this.rows
    const pad = " ".repeat(Math.min(step * depth, Math.floor(options.width / 5)))
    return rows({ ...options, width: options.width - pad.length }).map((row) => `${pad}${row}`)
  }
}
