import * as Schema from "effect/Schema"
import type * as Tool from "../tool/Tool.ts"

/**
 * What happens to a call that needs a decision: a person is asked, it is denied, the task fails, or it is allowed, wholly
 * or in part. Whoever cannot ask must choose one of the others; `allow` is for whoever asked for danger by name.
 */
export const ApprovalPolicy = Schema.Literal("ask", "deny", "fail", "allow-read-only", "allow-edits", "allow")
export type ApprovalPolicy = typeof ApprovalPolicy.Type

/** What a person can choose without asking for danger by name. */
export const ordinary = [
  "ask",
  "deny",
  "fail",
  "allow-read-only",
  "allow-edits"
] as const satisfies ReadonlyArray<ApprovalPolicy>

export type PolicyVerdict = "ask" | "deny" | "fail" | "allow"

/**
 * What a policy makes of a call that needs a decision. `contained` says that all it touches lies plainly inside the
 * workspace, that none of it is protected, and that no rule asks: nothing else is lifted by any mode but a blanket `allow`.
 */
export const judge = (policy: ApprovalPolicy, tool: Tool.Traits, contained: boolean): PolicyVerdict => {
  switch (policy) {
    case "ask":
    case "deny":
    case "fail":
    case "allow":
      return policy
    case "allow-read-only":
      return tool.readOnly && contained ? "allow" : "deny"
    case "allow-edits":
      return (tool.readOnly || tool.category === "files") && contained ? "allow" : "ask"
  }
}
