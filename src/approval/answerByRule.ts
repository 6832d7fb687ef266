import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { valueOf } from "../middleware/effectOf.ts"
import type { DecisionRefused } from "./ApprovalError.ts"
import type { Decide, Decision } from "./Decision.ts"
import type { Pending } from "./Queue.ts"

/** Answers a request as a person would; it is denied where the answer is refused, for nobody else is asked. */
export const answerByRule =
  (decide: (decision: Decision) => Effect.Effect<void, DecisionRefused>) =>
  ({ answer, request }: Pending, rule: Decide): Effect.Effect<void> =>
    Effect.suspend(() => {
      const { digest, id: approvalId, sessionId } = request
      const { decision, reason, scope = "once", stop } = valueOf("it", rule(request))
      const more = { ...(reason === undefined ? {} : { reason }), ...(stop === undefined ? {} : { stop }) }
      return decide({ approvalId, sessionId, digest, decision, scope, by: "rule", ...more })
    }).pipe(
      Effect.catchAll(({ message }) => Effect.succeed(`its answer was refused. ${message}`)),
      Effect.catchAllDefect((defect) => Effect.succeed(`it crashed: ${String(defect)}`)),
      Effect.flatMap((reason) =>
        reason === undefined
          ? Effect.void
          : Effect.asVoid(Deferred.succeed(answer, { outcome: "denied", by: "rule", reason }))
      )
    )
