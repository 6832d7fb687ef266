import type { ApprovalResolved } from "../../tool/ToolEvent.ts"
import { seconds } from "../Words.ts"

export const approved = (by: string): string => `approved by ${by}`

/** How a request ended, in words. */
export const resolution = ({ by, outcome, reason, scope, waitedMillis }: ApprovalResolved): string => {
  switch (outcome) {
    case "granted":
      return `${approved(by)}${scope === undefined || scope === "once" ? "" : ` (${scope})`}`
    case "denied":
      return `denied by ${by}${reason === undefined ? "" : `: ${reason}`}`
    case "expired":
      return `no answer within ${seconds(waitedMillis)}: denied`
    case "withdrawn":
      return "the request was withdrawn"
  }
}
