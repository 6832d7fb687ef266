import type { Middleware } from "../middleware/Middleware.ts"
import { named } from "../middleware/Step.ts"
import type { FileChanges } from "./FileChanges.ts"
import { heard, type ToolCall } from "./ToolCall.ts"

/** Keeps what a tool says of the files it changes; a tool that says nothing changes none that we know of. */
export const recordChanges = (changes: FileChanges["Type"]): Middleware<ToolCall> =>
  named<ToolCall>("file changes", "", (call, next) =>
    next({
      ...call,
      sink: heard(call.sink, (event) => (event._tag === "FileChanged" ? changes.report(event) : undefined))
    })
  )
