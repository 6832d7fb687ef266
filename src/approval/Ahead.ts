import * as Effect from "effect/Effect"
import { isDeepStrictEqual } from "node:util"
import type { Audit } from "../audit/Audit.ts"
import type { ApprovalRequest } from "../tool/ApprovalRequest.ts"
import type { Preview } from "../tool/Preview.ts"
import type { ToolCall } from "../tool/ToolCall.ts"
import { ApprovalMismatch, type ApprovalUnshowable, type DecisionRefused } from "./ApprovalError.ts"
import type { Clearance, Decision, Wanted } from "./Decision.ts"
import type { EndedRequests } from "./Queue.ts"
import type { Draft } from "./Request.ts"

/** What a person would be asked about a call by now, if anything; nothing is told or recorded. */
export type Foresee = (
  call: ToolCall,
  asks: Wanted,
  preview: Effect.Effect<Preview | undefined>
) => Effect.Effect<ApprovalRequest | undefined, ApprovalUnshowable>

/** The calls of one answer of a model, which come one after the other. */
export interface Answer {
  /** What the calls behind this one would ask by now. */
  readonly after: (callId: string, foresee: Foresee) => Effect.Effect<ReadonlyArray<ApprovalRequest>>
}

/** Where the agent puts the `Answer` that a call is part of. */
export const answerKey = "tollgate/approval/answer"

/** A request that would be made, and the one that waits meanwhile. */
interface Foreseen {
  readonly request: ApprovalRequest
  readonly behind: string
  readonly answer: Answer
}

/** A later call that a person has allowed, once, if it asks for the same. */
interface AllowedAhead {
  readonly request: ApprovalRequest
  readonly by: string
}

interface Waiting {
  readonly answer: Answer
  readonly callId: string
  /** What the calls behind it would ask, once that was looked at. */
  behind: ReadonlyArray<ApprovalRequest> | undefined
}

const isAnswer = (value: unknown): value is Answer =>
  typeof value === "object" && value !== null && "after" in value && typeof value.after === "function"

const answerOf = ({ metadata }: ToolCall): Answer | undefined => {
  const answer = metadata[answerKey]
  return isAnswer(answer) ? answer : undefined
}

/** All that a person was shown; neither when that was nor what was said before it. */
const shownOf = ({ context: _context, id: _id, requestedAt: _at, timeoutMillis: _time, ...shown }: ApprovalRequest) =>
  shown

/**
 * What later calls of an answer would ask while one of them waits. A person may allow exactly that, once: such a call is judged
 * anew when its turn comes, and asks where anything that was shown is different.
 */
export class Ahead {
  private readonly waiting = new Map<string, Waiting>()
  private readonly foreseen = new Map<string, Foreseen>()
  private readonly allowed = new WeakMap<Answer, Map<string, AllowedAhead>>()
  private readonly audit: Audit["Type"]
  private readonly ended: EndedRequests

  constructor(audit: Audit["Type"], ended: EndedRequests) {
    this.audit = audit
    this.ended = ended
  }

  /** The call waits under this id. */
  begin(id: string, call: ToolCall): void {
    const answer = answerOf(call)
    if (answer !== undefined) this.waiting.set(id, { answer, callId: call.callId, behind: undefined })
  }

  /** It waits no longer, and nothing behind it can be allowed with it. */
  end(id: string): void {
    this.waiting.delete(id)
    for (const [one, { behind }] of this.foreseen) if (behind === id) this.foreseen.delete(one)
  }

  /** What the calls behind a request would ask by now. */
  behind(id: string, foresee: Foresee): Effect.Effect<ReadonlyArray<ApprovalRequest>> {
    return Effect.suspend(() => {
      const found = this.waiting.get(id)
      if (found === undefined) return Effect.succeed([])
      if (found.behind !== undefined) return Effect.succeed(found.behind)
      const { answer, callId } = found
      return Effect.map(answer.after(callId, foresee), (requests) => {
        if (this.waiting.get(id) !== found) return []
        if (found.behind !== undefined) return found.behind
        found.behind = requests
        for (const request of requests) this.foreseen.set(request.id, { request, behind: id, answer })
        return requests
      })
    })
  }

  find(id: string): Foreseen | undefined {
    return this.foreseen.get(id)
  }

  /** A later call is allowed as a whole and once; there is nothing yet that could be denied or changed. */
  accept({ answer, behind, request }: Foreseen, decision: Decision): Effect.Effect<void, DecisionRefused> {
    return Effect.gen(this, function* () {
      const { callId, digest, id: approvalId, sessionId, tool, workerPath } = request
      if (sessionId !== decision.sessionId) return yield* new ApprovalMismatch({ approvalId, what: "session" })
      if (digest !== decision.digest) return yield* new ApprovalMismatch({ approvalId, what: "digest" })
      const { by, parameters, scope, wider } = decision
      if (decision.decision !== "approve" || scope !== "once" || wider !== undefined || parameters !== undefined) {
        return yield* new ApprovalMismatch({ approvalId, what: "scope" })
      }
      const about = { session: sessionId, worker: workerPath, tool, call: callId, arguments: request.arguments }
      const said = { approval: approvalId, digest, decision: "approve", outcome: "granted", scope } as const
      yield* this.audit.record({ kind: "requested", ...about, approval: approvalId, digest })
      yield* this.audit.commit({ kind: "resolved", ...about, ...said, decided_by: by, reason: `with ${behind}` })
      this.foreseen.delete(approvalId)
      const known = this.allowed.get(answer) ?? new Map<string, AllowedAhead>()
      known.set(callId, { request, by })
      this.allowed.set(answer, known)
      this.ended.add(approvalId, "granted")
    })
  }

  /** What lets a call run that was allowed as it asks now, and is in the audit; its first question uses that up, whatever it is. */
  take(call: ToolCall, { preview, request, stillHolds }: Draft): Clearance | undefined {
    const answer = answerOf(call)
    const known = answer === undefined ? undefined : this.allowed.get(answer)
    const found = known?.get(call.callId)
    known?.delete(call.callId)
    if (found === undefined || !isDeepStrictEqual(shownOf(found.request), shownOf(request))) return undefined
    return { preview, stillHolds, approvedBy: found.by }
  }
}
