import * as Effect from "effect/Effect"
import type { Middleware } from "../middleware/Middleware.ts"
import type { ParametersInvalid } from "../tool/Parameters.ts"
import type { Preview } from "../tool/Preview.ts"
import type { ToolCall } from "../tool/ToolCall.ts"
import { validated } from "../tool/validate.ts"
import type { ApprovalRefused } from "./ApprovalError.ts"
import { Approvals } from "./Approvals.ts"

const needed = (call: ToolCall): boolean => {
  const need: "never" | "always" | ((params: never) => boolean) = call.tool.approval
  return typeof need === "function" ? need(call.params as never) : need === "always"
}

/** What the call would do, by the tool's own word; a preview that fails is the call's failure. */
const preview = (call: ToolCall): Effect.Effect<Preview | undefined> => {
  const make: ((params: never) => unknown) | undefined = call.tool.preview
  return make === undefined ? Effect.succeed(undefined) : (make(call.params as never) as Effect.Effect<Preview>)
}

/** Runs a call only once it has been approved, once for all its attempts (T6); what was shown travels on the call. */
export const approve: Middleware<ToolCall, { fails: ApprovalRefused | ParametersInvalid; requires: Approvals }> = (
  call,
  next
) =>
  Effect.flatMap(validated(call), (ready) =>
    needed(ready)
      ? Effect.flatMap(preview(ready), (shown) =>
          Effect.flatMap(Approvals, (approvals) =>
            Effect.zipRight(
              approvals.request(ready, shown),
              Effect.suspend(() => next(shown === undefined ? ready : { ...ready, preview: shown }))
            )
          )
        )
      : next(ready)
  )
