import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as os from "node:os"
import * as PathContext from "../policy/path/PathContext.ts"
import { judgeNow } from "../policy/path/PathPolicy.ts"
import { Redactor, type RedactorShape } from "../redaction/Redactor.ts"
import { Ids } from "../tool/Ids.ts"
import { callKey as placed } from "../tool/CallPlace.ts"
import type { ToolCall } from "../tool/ToolCall.ts"
import type { ApprovalNotPending } from "./ApprovalError.ts"
import type { ApprovalPolicy } from "./ApprovalPolicy.ts"
import type { ApprovalsOptions } from "./Approvals.ts"
import { Audit } from "./Audit.ts"
import type { AuditEntry } from "./AuditEntry.ts"
import * as Books from "./Books.ts"
import { Delegate } from "./Delegate.ts"
import { defaultLimits, type GrantLimits, Grants } from "./Grants.ts"
import { ApprovalQueue, type Pending } from "./Pending.ts"
import { Repetition } from "./Repetition.ts"
import type { PatternRejected } from "./Rule.ts"
import { RuleStore } from "./RuleStore.ts"
import * as DeadlineClock from "./DeadlineClock.ts"
import { type Describing, type Subject, Subjects } from "./Subject.ts"
import { FileHash } from "./FileHash.ts"
import { Vouchers } from "./Vouchers.ts"

type EndState = ApprovalNotPending["state"]

/** What asking, judging and deciding share. */
export interface DeskState {
  readonly ids: Ids["Type"]
  readonly audit: Audit["Type"]
  readonly redactor: RedactorShape
  readonly subjects: Describing
  readonly files: FileHash["Type"]
  /** Whether a call of a tool that has not looked at its parameters touches nothing but plain files of the project. */
  readonly isContained: (call: Pick<ToolCall, "tool">, subject: Subject) => boolean
  readonly delegate: Delegate["Type"]["decide"]
  readonly books: Books.Books
  readonly grants: Grants
  readonly limits: GrantLimits
  readonly queue: ApprovalQueue
  readonly repetition: Repetition
  readonly timeoutMillis: number
  /** The clock of deadlines: milliseconds that nobody can set. */
  readonly now: Effect.Effect<number>
  /** Whether `always` is offered. */
  readonly always: boolean
  /** Whether anybody can be asked. */
  readonly attended: boolean
  readonly policies: Map<string, ApprovalPolicy>
  readonly projects: Map<string, string>
  /** Sessions that are being shut down. */
  readonly closing: Set<string>
  /** Stored requests that no call has asked for again yet, by the call. */
  readonly restored: Map<string, Pending>
  readonly vouchers: Vouchers
  readonly policyOf: (session: string) => ApprovalPolicy
  readonly projectOf: (session: string) => string
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

/** Judges by the path policy; a root that bounds nothing contains nothing. */
const containedIn = (root: string, home: string): Effect.Effect<DeskState["isContained"]> => {
  const boundary = { cwd: root, roots: [root], home, trusted: false, stateDirs: [] }
  return Effect.map(
    Effect.orElseSucceed(PathContext.make(boundary), () => boundary),
    (context) => (call, subject) => {
      const op = call.tool.readOnly ? "grep" : "write"
      const touched = subject.paths === undefined ? subject.touched() : { named: subject.paths, mentioned: [] }
      if (touched === "unread") return false
      const places = [...touched.named, ...touched.mentioned]
      return places.length === 0
        ? call.tool.readOnly
        : places.every((place) =>
            Either.match(judgeNow(place, op, context), {
              onLeft: () => false,
              onRight: ({ verdict }) => verdict.decision === "allow"
            })
          )
    }
  )
}

export const make = (options: ApprovalsOptions): Effect.Effect<DeskState, PatternRejected, Audit | RuleStore> =>
  Effect.gen(function* () {
    const { home = os.homedir(), root = "/", rules = [], trusted = false } = options
    const limits = { ...defaultLimits, ...options.grants }
    const policies = new Map<string, ApprovalPolicy>()
    const projects = new Map<string, string>()
    const ended = new Map<string, EndState>()
    const now = yield* DeadlineClock.make
    return {
      ids: yield* Ids,
      audit: yield* Audit,
      redactor: yield* Redactor,
      subjects: (yield* Subjects).at(root, home),
      files: yield* FileHash,
      isContained: yield* containedIn(root, home),
      delegate: (yield* Delegate).decide,
      books: yield* Books.make({ rules, trusted, root }, yield* RuleStore),
      grants: new Grants(limits),
      limits,
      queue: new ApprovalQueue(options.maxPending ?? maxPending, now),
      repetition: new Repetition(),
      timeoutMillis: Duration.toMillis(Duration.decode(options.timeout ?? "30 seconds")),
      now,
      always: options.always ?? false,
      attended: options.attended ?? true,
      policies,
      projects,
      closing: new Set(),
      restored: new Map(),
      vouchers: new Vouchers(),
      policyOf: (session) => policies.get(session) ?? options.policy,
      projectOf: (session) => projects.get(session) ?? "",
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
