import { visibleLine } from "../text/visible.ts"
import type { TodoItem } from "../tool/ToolEvent.ts"

const marks = { pending: "☐", active: "▸", done: "☑", dropped: "☒" } as const

/** A list of steps as rows. */
export const todoRows = (items: ReadonlyArray<TodoItem>): ReadonlyArray<string> =>
  items.length === 0 ? ["no steps"] : items.map(({ status, text }) => `${marks[status]} ${visibleLine(text)}`)
