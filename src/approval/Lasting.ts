import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { logCrash } from "../redaction/logCrash.ts"
import type { Audit } from "../audit/Audit.ts"
import type { Ids } from "../tool/Ids.ts"
import type { Decision } from "./Decision.ts"
import type { FileHash } from "./FileHash.ts"
import { type Grant, unchanged } from "./Grants.ts"
import type { Audiences, Pending } from "./Queue.ts"
import { describe } from "./Rule.ts"
import type { SessionStates } from "./SessionState.ts"

export interface Means {
  readonly audit: Audit["Type"]
  readonly audiences: Audiences
  readonly files: FileHash["Type"]
  readonly ids: Ids["Type"]
  readonly now: Effect.Effect<number>
  readonly sessions: SessionStates
}

/** Makes an answer hold for longer than its own call. */
export type Extend = (waiting: Pending, decision: Pick<Decision, "by" | "scope" | "wider">) => Effect.Effect<void>

export const make = ({ audiences, audit, files, ids, now, sessions }: Means): Extend => {
  /** Answers what waits and would not be asked by now. */
  const reconsider = ({ answer, grantable: could }: Pending) =>
    Effect.gen(function* () {
      if (could === undefined) return
      const { grants, project } = sessions.of(could.sessionId)
      const book = yield* project.get
      const ruled = book.concerns(could.tool) ? book.verdict(could.tool, could.subject) : undefined
      if (ruled?.decision === "deny") return
      const grant = grants.covering(could, project, yield* now, ruled?.decision === "ask")
      const found =
        grant !== undefined
          ? { by: `grant ${grant.id}`, basis: grant.basis }
          : ruled?.decision === "allow"
            ? { by: `rule ${ruled.rule.id}`, basis: ruled.basis }
            : undefined
      if (found === undefined || !(yield* unchanged(files.hash, found.basis))) return
      yield* Deferred.succeed(answer, { outcome: "granted", by: found.by })
    })

  /**
   * Makes an answer hold for longer, and answers the waiting requests that it covers. If the audit cannot record it,
   * the answer is for its own call alone.
   */
  return (
    { grantable: could, request }: Pending,
    { by, scope, wider: wanted }: Pick<Decision, "by" | "scope" | "wider">
  ) =>
    Effect.gen(function* () {
      if (scope === "once" || could === undefined || could.basis === undefined) return
      const grantedAt = yield* now
      const { basis, rule, sessionId, subject, tool, wider, workers } = could
      const broad = wanted !== undefined && wanted === wider?.kind ? wider.rule : undefined
      // Nothing is made of an answer that says more than could be covered.
      if (wanted !== undefined && broad === undefined) return
      const key = broad === undefined ? subject.key : JSON.stringify(broad)
      const words = broad === undefined ? subject.words : describe(broad)
      const { grants, project } = sessions.of(sessionId)
      const common = { session: request.sessionId, tool, approval: request.id, decided_by: by }
      const granted = (scope: Grant["scope"]) =>
        Effect.gen(function* () {
          const id = yield* ids.next("grant")
          yield* audit.commit({ ...common, kind: "grant_made", scope, reason: `${id}: ${words}` })
          const expiresAt = grantedAt + grants.limits.ttlMillis
          const made = { id, sessionId, scope, workers, tool, key, words, basis, grantedAt, expiresAt }
          grants.add(broad === undefined ? made : { ...made, rule: broad })
        })
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
      yield* Effect.forEach(audiences.all, reconsider, { discard: true })
    }).pipe(Effect.catchAllCause((cause) => logCrash("An approval for longer holds for its own call only", cause)))
}
