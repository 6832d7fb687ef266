import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Redactor, type RedactorShape } from "../redaction/Redactor.ts"
import { Ids } from "../tool/Ids.ts"
import { callKey as placed } from "../tool/CallPlace.ts"
import type { ToolCall } from "../tool/ToolCall.ts"
import type { ApprovalNotPending } from "./ApprovalError.ts"
import type { ApprovalsOptions } from "./Approvals.ts"
import { Audit } from "./Audit.ts"
import type { AuditEntry } from "./AuditEntry.ts"
import { Delegate } from "./Delegate.ts"
import { defaultLimits, type GrantLimits } from "./Grants.ts"
import { ApprovalQueue } from "./Pending.ts"
import * as ProjectRules from "./ProjectRules.ts"
import type { PatternRejected } from "./Rule.ts"
import { RuleStore } from "./RuleStore.ts"
import * as DeadlineClock from "./DeadlineClock.ts"
import { SessionState, SessionStates } from "./SessionState.ts"
import { FileHash } from "./FileHash.ts"
import { Vouchers } from "./Vouchers.ts"

type EndState = ApprovalNotPending["state"]

/** What asking, judging and deciding share. */
export interface DeskState {
  readonly ids: Ids["Type"]
  readonly audit: Audit["Type"]
  readonly redactor: RedactorShape
  readonly files: FileHash["Type"]
  readonly delegate: Delegate["Type"]["decide"]
  readonly store: RuleStore["Type"]
  /** The project of the layer, for sessions that bring none of their own. */
  readonly project: ProjectRules.ProjectRules
  readonly sessions: SessionStates
  readonly limits: GrantLimits
  readonly queue: ApprovalQueue
  readonly timeoutMillis: number
  /** The clock of deadlines: milliseconds that nobody can set. */
  readonly now: Effect.Effect<number>
  /** Whether `always` is offered. */
  readonly always: boolean
  /** Whether anybody can be asked. */
  readonly attended: boolean
  readonly vouchers: Vouchers
  /** What became of a request that is no longer open. */
  readonly endOf: (approvalId: string) => EndState
  readonly remember: (approvalId: string, state: EndState) => void
}

const maxPending = 32
/** Ended requests that are still told from those that never were. */
const maxEnded = 1000

/** Where a call of a session is found again after a restart. */
export const callKey = (call: Pick<ToolCall, "sessionId" | "workerPath" | "callId">): string =>
  `${call.sessionId} ${placed({ worker: call.workerPath }, call.callId)}`

/** An entry of the audit about a call. */
export const entryOf = (call: ToolCall, kind: AuditEntry["kind"], more: Partial<AuditEntry>): AuditEntry => ({
  kind,
  session: call.sessionId,
  worker: call.workerPath,
  tool: call.name,
  call: call.callId,
  ...more
})

export const make = (options: ApprovalsOptions): Effect.Effect<DeskState, PatternRejected, Audit | RuleStore> =>
  Effect.gen(function* () {
    const limits = { ...defaultLimits, ...options.grants }
    const store = yield* RuleStore
    const project = yield* ProjectRules.make({ ...options, directory: "", root: options.root ?? "/" }, store)
    const ended = new Map<string, EndState>()
    const now = yield* DeadlineClock.make
    return {
      ids: yield* Ids,
      audit: yield* Audit,
      redactor: yield* Redactor,
      files: yield* FileHash,
      delegate: (yield* Delegate).decide,
      store,
      project,
      sessions: new SessionStates((id) => new SessionState(id, project, options.policy, limits)),
      limits,
      queue: new ApprovalQueue(options.maxPending ?? maxPending, now),
      timeoutMillis: Duration.toMillis(Duration.decode(options.timeout ?? "30 seconds")),
      now,
      always: options.always ?? false,
      attended: options.attended ?? true,
      vouchers: new Vouchers(),
      endOf: (approvalId) => ended.get(approvalId) ?? "unknown",
      remember: (approvalId, state) => {
        ended.set(approvalId, state)
        for (const oldest of ended.keys()) {
          if (ended.size <= maxEnded) break
          ended.delete(oldest)
        }
      }
    }
  })
