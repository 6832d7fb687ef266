import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { ApprovalRequest } from "../tool/ApprovalRequest.ts"
import { ApprovalMismatch, ApprovalNotPending, type DecisionRefused } from "./ApprovalError.ts"
import type { Decision } from "./Approvals.ts"
import type { DeskState } from "./DeskState.ts"
import { unchanged } from "./Grantable.ts"
import type { GrantScope } from "./Grants.ts"
import type { Pending, Resolution } from "./Pending.ts"

/** A decision without anybody who decides, e.g. in a test. */
export type Decide = (
  request: ApprovalRequest
) => Pick<Decision, "decision"> & Partial<Pick<Decision, "scope" | "reason" | "stop">>

/** How a decision finds its call, and what else it answers. */
export interface Deciding {
  readonly decide: (decision: Decision) => Effect.Effect<void, DecisionRefused>
  readonly byRule: (pending: Pending, decide: Decide) => Effect.Effect<void>
}

type Answer = Omit<Decision, "approvalId" | "sessionId" | "digest">

const resolutionOf = ({ by, decision, reason, scope, stop }: Answer): Resolution => ({
  outcome: decision === "approve" ? "granted" : "denied",
  by,
  ...(decision === "approve" ? { scope } : {}),
  ...(reason === undefined ? {} : { reason }),
  ...(stop === undefined ? {} : { stop })
})

export const make = (state: DeskState): Deciding => {
  const { audit, endOf, files, ids, limits, queue, sessions, timeoutMillis } = state

  /** Answers what waits and would not be asked by now. */
  const reconsider = (pending: Pending) =>
    Effect.gen(function* () {
      const { grantable: could } = pending
      if (could === undefined) return
      const now = yield* state.now
      const { grants, project } = sessions.of(could.sessionId)
      const grant = grants.find(could.sessionId, could.workers, could.subject.key, now)
      const book = yield* project.get
      const ruled = book.concerns(could.tool) ? book.verdict(could.tool, could.subject) : undefined
      if (ruled?.decision === "deny") return
      const found =
        grant !== undefined
          ? { by: `grant ${grant.id}`, basis: grant.basis }
          : ruled?.decision === "allow"
            ? { by: `rule ${ruled.rule.id}`, basis: ruled.basis }
            : undefined
      if (found === undefined || !(yield* unchanged(files.hash, found.basis))) return
      yield* Deferred.succeed(pending.answer, { outcome: "granted", by: found.by })
    })

  /**
   * Makes an answer hold for longer, and answers what it covers of the others that wait (A6). What is not in the audit does
   * not count: then the answer is for its own call alone, whose own entry fails as well.
   */
  const extend = (
    { grantable: could, request }: Pending,
    { by, scope }: Pick<Decision, "by" | "scope">
  ): Effect.Effect<void> =>
    Effect.gen(function* () {
      if (scope === "once" || could === undefined || could.basis === undefined) return
      const now = yield* state.now
      const { basis, rule, sessionId, subject, tool, workers } = could
      const { words } = subject
      const { grants, project } = sessions.of(sessionId)
      const common = { session: request.sessionId, tool, approval: request.id, decided_by: by }
      const granted = (held: GrantScope) =>
        Effect.flatMap(ids.next("grant"), (id) =>
          Effect.map(audit.commit({ ...common, kind: "grant_made", scope: held, reason: `${id}: ${words}` }), () =>
            grants.add({
              id,
              sessionId,
              scope: held,
              workers,
              tool,
              key: subject.key,
              words,
              basis,
              grantedAt: now,
              expiresAt: now + limits.ttlMillis
            })
          )
        )
      if (scope !== "always") yield* granted(scope)
      else if (rule === undefined) yield* granted("session")
      else {
        const id = yield* ids.next("rule")
        yield* audit.commit({ ...common, kind: "rule_saved", scope, reason: id })
        yield* Effect.catchAll(project.save({ ...rule, id }), (error) =>
          Effect.logWarning(error.message).pipe(
            Effect.zipRight(audit.commit({ ...common, kind: "revoked", reason: id, outcome: error._tag })),
            // A rule that could not be saved holds for the session at least.
            Effect.zipRight(granted("session"))
          )
        )
      }
      yield* Effect.forEach(queue.all, reconsider, { discard: true })
    }).pipe(
      Effect.catchAllCause((cause) => Effect.logError("An approval for longer holds for its own call only", cause))
    )

  const find = (id: string): Pending | undefined =>
    queue.find(id) ??
    sessions.all.flatMap(({ restored }) => [...restored.values()]).find(({ request }) => request.id === id)

  const accept = (decision: Decision): Effect.Effect<void, DecisionRefused> =>
    Effect.gen(function* () {
      const { approvalId } = decision
      const pending = find(approvalId)
      if (pending === undefined) return yield* new ApprovalNotPending({ approvalId, state: endOf(approvalId) })
      const { answer, shownAt } = pending
      const { digest, scopes, sessionId } = pending.request
      if (sessionId !== decision.sessionId) return yield* new ApprovalMismatch({ approvalId, what: "session" })
      if (digest !== decision.digest) return yield* new ApprovalMismatch({ approvalId, what: "digest" })
      if (decision.decision === "approve" && !scopes.includes(decision.scope)) {
        return yield* new ApprovalMismatch({ approvalId, what: "scope" })
      }
      // A machine that slept has not let the timer run, but the clock of deadlines knows.
      const late = shownAt !== undefined && (yield* state.now) - shownAt >= timeoutMillis
      const resolution: Resolution = late ? { outcome: "expired", by: "timeout" } : resolutionOf(decision)
      const first = yield* Deferred.succeed(answer, resolution)
      if (!first || late) {
        const state = Effect.map(Deferred.await(answer), ({ outcome }) => outcome)
        return yield* new ApprovalNotPending({
          approvalId,
          state: yield* Effect.orElseSucceed(state, () => "suspended" as const)
        })
      }
      if (decision.decision === "approve") yield* extend(pending, decision)
    })

  const refused =
    ({ approvalId, by, decision, digest, scope, sessionId }: Decision) =>
    (error: DecisionRefused) =>
      audit.record({
        kind: "decision_refused",
        session: sessionId,
        approval: approvalId,
        digest,
        decision,
        scope,
        decided_by: by,
        outcome: `${error._tag}: ${error._tag === "ApprovalNotPending" ? error.state : error.what}`
      })

  return {
    decide: Effect.fn("Approvals.decide")((decision: Decision) =>
      Effect.uninterruptible(Effect.tapError(accept(decision), refused(decision)))
    ),
    byRule: (pending, decide) => {
      const decision = { scope: "once" as const, by: "rule", ...decide(pending.request) }
      return Effect.zipRight(
        Deferred.succeed(pending.answer, resolutionOf(decision)),
        decision.decision === "approve" ? extend(pending, decision) : Effect.void
      )
    }
  }
}
