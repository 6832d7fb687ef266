import * as Effect from "effect/Effect"
import type { Audit } from "../audit/Audit.ts"
import { entryOf } from "../audit/AuditChain.ts"
import type { ToolCall } from "../tool/ToolCall.ts"
import type { Ahead, Foreseen } from "./Ahead.ts"
import { ApprovalMismatch, type DecisionRefused } from "./ApprovalError.ts"
import type { Clearance, Decision } from "./Decision.ts"
import type { EndedRequests } from "./EndedRequests.ts"
import type { Draft } from "./Request.ts"

interface Parts {
  readonly ahead: Ahead
  readonly audit: Audit["Type"]
  readonly ended: EndedRequests
}

/** What it takes to allow a call before its turn, and to let it run in its turn. */
export const allowingAhead = ({ ahead, audit, ended }: Parts) => {
  /** A later call is allowed as a whole and once; there is nothing yet that could be denied or changed. */
  const accept = (later: Foreseen, decision: Decision): Effect.Effect<void, DecisionRefused> =>
    Effect.gen(function* () {
      const { request } = later
      const { callId, digest, id: approvalId, sessionId, tool, workerPath } = request
      if (sessionId !== decision.sessionId) return yield* new ApprovalMismatch({ approvalId, what: "session" })
      if (digest !== decision.digest) return yield* new ApprovalMismatch({ approvalId, what: "digest" })
      const { by, scope, wider } = decision
      if (
        decision.decision === "deny" ||
        scope !== "once" ||
        wider !== undefined ||
        decision.parameters !== undefined
      ) {
        return yield* new ApprovalMismatch({ approvalId, what: "scope" })
      }
      const about = { session: sessionId, worker: workerPath, tool, call: callId, arguments: request.arguments }
      const answer = { approval: approvalId, digest, decision: "approve", outcome: "granted", scope } as const
      yield* audit.commit({ kind: "resolved", ...about, ...answer, decided_by: by, reason: `with ${later.behind}` })
      ahead.allow(later, by)
      ended.add(approvalId, "granted")
    })

  /** Whether the very same was allowed with an earlier call of its answer. */
  const allowed = (call: ToolCall, { preview, request, stillHolds }: Draft): Effect.Effect<Clearance> | undefined => {
    const found = ahead.take(call, request)
    if (found === undefined) return undefined
    const { by: decided_by, request: shown } = found
    const said = { approval: shown.id, digest: request.digest, decision: "approve", outcome: "granted" } as const
    return Effect.as(audit.commit(entryOf(call, "automatic", { ...said, scope: "once", decided_by })), {
      preview,
      stillHolds
    })
  }

  return { accept, allowed }
}
