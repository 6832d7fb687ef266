import * as Effect from "effect/Effect"
import { Approvals } from "../approval/Approvals.ts"
import { mistakesIn } from "../redaction/Mistake.ts"
import type { DecideApproval } from "../runtime/Command.ts"
import { Rejected } from "./ApiError.ts"

/** Fails where changed parameters are none that the tool of an open request takes, which then goes on waiting as it is. */
export const fitting = ({ approvalId, decision, parameters }: Omit<DecideApproval, "session" | "by">) =>
  Effect.gen(function* () {
    if (decision !== "approve" || parameters === undefined) return
    const issues = yield* (yield* Approvals).inspect(approvalId).issues(parameters)
    const [first] = mistakesIn(issues)
    if (first === undefined) return
    const place = ["parameters", ...first.path].join(".")
    return yield* new Rejected({
      message: `${place}: ${first.problem}. Nothing was decided.`,
      error: "ParametersInvalid"
    })
  })
