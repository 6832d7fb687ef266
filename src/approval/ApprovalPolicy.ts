import * as Schema from "effect/Schema"
import type { ToolCall } from "../tool/ToolCall.ts"

/**
 * What happens to a call that needs a decision: a person is asked, it is denied, the task fails, or it is allowed, wholly
 * or in part. Whoever cannot ask must choose one of the others.
 */
export const ApprovalPolicy = Schema.Literal("ask", "deny", "fail", "allow-read-only", "allow-edits", "allow")
export type ApprovalPolicy = typeof ApprovalPolicy.Type

/** What a policy makes of one call. */
export const judge = (policy: ApprovalPolicy, call: ToolCall): "ask" | "deny" | "fail" | "allow" => {
  switch (policy) {
    case "ask":
    case "deny":
    case "fail":
    case "allow":
      return policy
    case "allow-read-only":
      return call.tool.readOnly ? "allow" : "deny"
    case "allow-edits":
      return call.tool.readOnly || call.tool.category === "files" ? "allow" : "ask"
  }
}
