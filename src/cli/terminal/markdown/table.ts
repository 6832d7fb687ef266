import type { Tokens } from "marked"
import { columns } from "../Layout.ts"
import type { Style } from "../Style.ts"
import { inline } from "./inline.ts"
import { flow, type Span, span, widest } from "./spans.ts"

/** Columns that a cell needs to be read. */
const least = 6
const between = 3

/** The widths of columns that need `natural` each and have `room` together; none where they cannot be read in it. */
const widthsIn = (natural: ReadonlyArray<number>, room: number): ReadonlyArray<number> | undefined => {
  const fitted = (cap: number) => natural.map((wide) => Math.min(wide, cap))
  const sum = (widths: ReadonlyArray<number>) => widths.reduce((sum, wide) => sum + wide, 0)
  if (sum(natural) <= room) return natural
  if (sum(fitted(least)) > room) return undefined
  let [low, high] = [least, Math.max(...natural)]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (sum(fitted(middle)) <= room) low = middle
    else high = middle
  }
  return fitted(low)
}

const aligned = (row: string, width: number, align: string | null | undefined): string => {
  const blank = Math.max(0, width - columns(row))
  const before = align === "right" ? blank : align === "center" ? Math.floor(blank / 2) : 0
  return `${" ".repeat(before)}${row}${" ".repeat(blank - before)}`
}

/** A table that fits: its cells are broken where they must be, and where no row has room for them each stands by itself. */
export const tableRows = (
  { align, header, rows }: Pick<Tokens.Table, "align" | "header" | "rows">,
  { style, width }: { readonly style: Style; readonly width: number }
): ReadonlyArray<string> => {
  const head = header.map(({ tokens }) => inline(tokens, style, style.bold))
  const body = rows.map((cells) => cells.map(({ tokens }) => inline(tokens, style)))
  const natural = head.map((cell, index) =>
    Math.max(1, widest(cell), ...body.map((cells) => widest(cells[index] ?? [])))
  )
  const widths = widthsIn(natural, width - between * (head.length - 1))
  if (widths === undefined) {
    return body.flatMap((cells, row) => [
      ...(row === 0 ? [] : [""]),
      ...cells.flatMap((cell, index) => flow([...(head[index] ?? []), span(": "), ...cell], width))
    ])
  }
  const row = (cells: ReadonlyArray<ReadonlyArray<Span>>): ReadonlyArray<string> => {
    const shown = widths.map((wide, index) => flow(cells[index] ?? [], wide))
    const high = Math.max(...shown.map((lines) => lines.length))
    return Array.from({ length: high }, (_, line) =>
      shown
        .map((lines, index) => aligned(lines[line] ?? "", widths[index] ?? 0, align[index]))
        .join(style.dim(" │ "))
        .trimEnd()
    )
  }
  const rule = style.dim(widths.map((wide) => "─".repeat(wide)).join("─┼─"))
  return [...row(head), rule, ...body.flatMap(row)]
}
