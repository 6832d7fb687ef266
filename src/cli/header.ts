import { makeVisible } from "../redaction/visible.ts"
import { columns, fit } from "./Layout.ts"
import type { Screen } from "./Screen.ts"

/** What stands above a conversation: in one row where there is room, or in a few. */
export const header = (
  names: ReadonlyArray<string>,
  marks: ReadonlyArray<string>,
  hints: ReadonlyArray<string>,
  { style, width }: Pick<Screen["Type"], "style" | "width">
): string => {
  const joined = (parts: ReadonlyArray<string>) => style.dim(parts.map(makeVisible).join(" · "))
  const parts = [
    `${style.bold("tollgate")}${joined(["", ...names])}`,
    ...marks,
    ...(hints.length === 0 ? [] : [joined(hints)])
  ]
  const row = parts.join(style.dim(" · "))
  const rows = columns(row) < width() ? [row] : parts.map((part) => fit(part, width()))
  return `${rows.join("\n")}\n\n`
}
