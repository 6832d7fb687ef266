import type { AnyTool } from "./ToolCall.ts"
import { fieldsOf, type ToolField } from "./ToolField.ts"
import type { ExecutionMode } from "./Traits.ts"

/** A tool as a frontend lists it. */
export interface ToolShown {
  readonly name: string
  readonly label: string
  readonly category: string
  readonly description: string
  /** Who may invoke it. */
  readonly mode: ExecutionMode
  /** Whether a call needs confirming, by the tool's own word: that depends on the call where it is `some`. */
  readonly approval: "never" | "some" | "always"
  readonly fields: ReadonlyArray<ToolField>
}

export const toolShown = (tool: AnyTool): ToolShown => ({
  name: tool.name,
  label: tool.label,
  category: tool.category,
  description: tool.description,
  mode: tool.mode,
  approval: typeof tool.approval === "string" ? tool.approval : "some",
  fields: fieldsOf(tool)
})

/** The tools by category, both in alphabetical order. */
export const byCategory = (
  tools: ReadonlyArray<ToolShown>
): ReadonlyArray<readonly [category: string, ReadonlyArray<ToolShown>]> =>
  [...new Set(tools.map(({ category }) => category))]
    .toSorted()
    .map((category) => [
      category,
      tools.filter((tool) => tool.category === category).toSorted((a, b) => a.name.localeCompare(b.name))
    ])
