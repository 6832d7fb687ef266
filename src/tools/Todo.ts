import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Tool from "../tool/Tool.ts"
import { TodoItem, TodosChanged, trusted } from "../tool/ToolEvent.ts"

const maxItems = 50
const maxItem = 200

/** Keeps the plan of a worker where the user sees it; each call replaces the whole list. */
export const Todo = Tool.make("todo", {
  description:
    "Keeps a list of the steps of your work, which the user sees. Give the whole list each time, with the state of every " +
    "step. Use it for work of three steps or more; have at most one step active.",
  label: "Todo",
  category: "agent",
  mode: "both",
  touches: "none",
  approval: "never",
  risk: "low",
  idempotent: true,
  parameters: Schema.Struct({
    items: Schema.Array(
      Schema.Struct({
        text: Schema.String.pipe(Schema.minLength(1), Schema.maxLength(maxItem)),
        status: Schema.Literal("pending", "active", "done", "dropped")
      })
    )
      .pipe(Schema.maxItems(maxItems))
      .annotations({ description: "Every step in order; an empty list clears it." })
  }),
  success: Schema.Struct({ items: Schema.Array(TodoItem) }),
  handler: ({ items }, { callId, name, sink }) =>
    Effect.as(sink.emit(new TodosChanged({ callId, tool: name, items }, trusted)), { items })
})
