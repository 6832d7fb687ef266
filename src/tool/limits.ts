import type { Change, Middleware } from "../middleware/Middleware.ts"
import type * as Tool from "./Tool.ts"
import type { ToolCall } from "./ToolCall.ts"

/** Which tools: all, those of the names, or those that the predicate picks when the toolset is sealed. */
export type Selector = "*" | ReadonlyArray<string> | ((tool: Tool.Any) => boolean)

/** A middleware for some tools; where it has state, e.g. a rate limit, they share it. */
export interface Limit<in out C extends Change> {
  readonly tools: Selector
  readonly middleware: Middleware<ToolCall, C>
}

export const selects = (selector: Selector, tool: Tool.Any): boolean =>
  selector === "*" || (typeof selector === "function" ? selector(tool) : selector.includes(tool.name))
