import * as Effect from "effect/Effect"
import { isDeepStrictEqual } from "node:util"
import * as DynamicTool from "../tool/DynamicTool.ts"
import type { ToolCall } from "../tool/ToolCall.ts"
import { touchesOf } from "../tool/Touches.ts"
import type { TouchPolicy } from "./TouchPolicy.ts"

export const refused = (tool: string, reason: string) =>
  new DynamicTool.DynamicToolFailed({ tool, reason, retryable: false })

/**
 * What the call touches is judged again where its server gets it: what its paths lead to may have changed since it was decided
 * on, and an answer that was given for one place opens no other.
 */
export const stillOpen = (policy: TouchPolicy, params: unknown, call: ToolCall) =>
  Effect.suspend(() => {
    const touches = touchesOf(call.tool.touches, params)
    if (touches === undefined) return Effect.void
    const { decision, reason } = policy.judge(touches)
    const { decided = false, preview } = call
    const isDecided = () =>
      decided && (preview === undefined || isDeepStrictEqual(preview.targets, policy.preview(touches, "").targets))
    return decision === "deny" || (decision === "ask" && !isDecided())
      ? refused(call.name, `${reason}, as it is by now`)
      : Effect.void
  })

/** What a person is shown of a call, and what the answer is bound to. */
export const previewOf =
  (policy: TouchPolicy, { description, touches }: Pick<DynamicTool.DynamicTool, "description" | "touches">) =>
  (params: unknown) =>
    Effect.sync(() => policy.preview(touchesOf(touches, params) ?? {}, description))
