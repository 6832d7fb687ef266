import { parametersEdited } from "../../approval/Decision.ts"
import type { ApprovalResolved } from "../../tool/ToolEvent.ts"
import { seconds } from "../Words.ts"

export const approved = (by: string): string => `approved by ${by}`

/** Why a call that was approved is asked about once more: its preview or its script is no longer what was shown. */
export const askedAgain = "asked again: what it would do has changed"

/** A sentence as it reads behind a colon. */
const clause = (sentence: string): string =>
  `${sentence.slice(0, 1).toLowerCase()}${sentence.slice(1).replace(/\.$/, "")}`

/** Why a request asks no more: another one with other parameters follows, or its call has ended or changed. */
const withdrawal = ({ by, reason }: Pick<ApprovalResolved, "by" | "reason">): string => {
  if (reason === parametersEdited) return by === "user" ? "you edited the parameters" : `edited by ${by}`
  return `the request was withdrawn${reason === undefined ? "" : `: ${clause(reason)}`}`
}

/** How a request ended, in words. */
export const resolution = (event: ApprovalResolved): string => {
  const { by, outcome, reason, scope, waitedMillis } = event
  switch (outcome) {
    case "granted":
      return `${approved(by)}${scope === undefined || scope === "once" ? "" : ` (${scope})`}`
    case "denied":
      return `denied by ${by}${reason === undefined ? "" : `: ${reason}`}`
    case "expired":
      return `no answer within ${seconds(waitedMillis)}: denied`
    case "withdrawn":
      return withdrawal(event)
  }
}
