import { makeVisible } from "../../text/visible.ts"
import { columns, fit } from "./Layout.ts"
import type { Screen } from "./Screen.ts"

/** What stands above a conversation: in as few rows as there is room for. */
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
  const rows = parts.reduce<ReadonlyArray<string>>((rows, part) => {
    const row = [...rows.slice(-1), part].join(style.dim(" · "))
    return rows.length > 0 && columns(row) < width() ? [...rows.slice(0, -1), row] : [...rows, fit(part, width())]
  }, [])
  return `${rows.join("\n")}\n\n`
}
