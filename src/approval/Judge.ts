import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Preview } from "../tool/Preview.ts"
import type * as Tool from "../tool/Tool.ts"
import type { ToolCall } from "../tool/ToolCall.ts"
import type { Touches } from "../tool/Touches.ts"
import { ReviewerFailed, trusted } from "../tool/ToolEvent.ts"
import type { Foresee } from "./Ahead.ts"
import { ApprovalDenied, type ApprovalRefused, ApprovalUnavailable } from "./ApprovalError.ts"
import { judge, modes, plannedForUser, type PolicyVerdict } from "./ApprovalPolicy.ts"
import { type AuditEntry, entryOf } from "../audit/AuditChain.ts"
import { type Clearance, free, type Wanted } from "./Decision.ts"
import type { Desk } from "./Desk.ts"
import { explain, type Explanation } from "./Explanation.ts"
import { unchanged, workersOf } from "./Grants.ts"
import { draft } from "./Request.ts"
import { consulted, type ReviewerAnswer, type ReviewerService } from "./Reviewer.ts"
import type { RuleBook } from "./RuleBook.ts"
import type { SessionState, SessionStates } from "./SessionState.ts"
import { likeness, type Subject } from "./Subject.ts"

/** A call to explain. */
export interface Question {
  readonly tool: Tool.Any
  readonly parameters: unknown
  readonly session?: string
  /** The directory of another project with the options of the layer; that of the session if unset. */
  readonly project?: string
  readonly workerPath?: ReadonlyArray<string>
  /** Whether the tool itself wants a decision; by its declaration if unset. */
  readonly asks?: Wanted
}

/** What decides on a call before a person does. */
export interface Judge {
  readonly request: (
    call: ToolCall,
    asks: Wanted,
    preview: Effect.Effect<Preview | undefined>
  ) => Effect.Effect<Clearance, ApprovalRefused>
  readonly explain: (question: Question) => Effect.Effect<Explanation>
  readonly foresee: Foresee
}

/** What a call is judged by. */
type Standing = Pick<SessionState, "grants" | "policy" | "project">
type Show = Effect.Effect<Preview | undefined>
type Cleared = Effect.Effect<Clearance, ApprovalRefused>

/** For a call that no one has to see. */
const unasked: Clearance = { preview: undefined, stillHolds: Effect.succeed(true) }
const confinedBy = (clearance: Clearance): Clearance => ({ ...clearance, confined: true })

const unheard = "no one is attached to let it continue"
const worn = "the user has denied the same call in this task several times. Do something else, or ask the user."

/** Whether a tool wants a decision by what it declares, without a look at the parameters. */
const declared = ({ approval }: Tool.Any): Wanted =>
  approval === "never" ? false : approval === "always" ? "always" : true

/** Whether a call changes nothing, by its tool's word or by the words of its command, or touches nothing at all. */
const isReading = ({ tool }: Pick<ToolCall, "tool">, asks: Wanted, subject: Subject): boolean => {
  const { declared, hosts, more, names, places, shape } = subject
  if (tool.readOnly) return true
  if (!declared || more || places.length > 0 || hosts.length > 0 || names.length > 0) return false
  return shape === undefined ? asks === false : subject.severity()?.level === "reads"
}

/** What the mode says; it looks at what the call touches only where that matters. */
const byMode = (
  { policy, project }: Standing,
  call: Pick<ToolCall, "tool">,
  asks: Wanted,
  subject: Subject,
  askedByRule: boolean
): PolicyVerdict => {
  const { tool } = call
  return judge(policy, {
    tool,
    contained: () =>
      !askedByRule && (asks === "contained" || (asks === "always" && project.isContained(call, subject))),
    confined: () => !askedByRule && asks === "confined",
    outside: () => !askedByRule && project.readsOutside(subject)
  })
}

const verdict = (
  standing: Standing,
  book: RuleBook,
  call: Pick<ToolCall, "name" | "tool" | "workerPath" | "repeats">,
  asks: Wanted,
  subject: Subject,
  now: number
): Explanation => {
  const ruled = book.concerns(call.name) ? book.verdict(call.name, subject) : undefined
  const { grants, policy, project } = standing
  const workers = workersOf(call.workerPath)
  // What a wider grant covers has not been seen: a rule that asks outweighs it.
  const exact = ruled?.decision === "ask" || asks === false
  const grant = grants.covering({ subject, tool: call.name, workers }, project, now, exact)
  const byPolicy = byMode(standing, call, asks, subject, ruled?.decision === "ask")
  const reads = modes[policy].readsOnly !== true || isReading(call, asks, subject)
  return explain({
    tool: call.name,
    asks: asks !== false,
    reads,
    ruled,
    grant,
    policy,
    byPolicy,
    repeats: call.repeats
  })
}

/** `attended` says whether a person can be asked; if not, calls that would ask fail. */
export const make = (
  desk: Desk,
  sessions: SessionStates,
  attended: boolean,
  reviewer: ReviewerService,
  redeem: (call: ToolCall) => boolean
): Judge => {
  const { audit, files } = desk
  const automatic = (call: ToolCall, more: Partial<AuditEntry>) => audit.record(entryOf(call, "automatic", more))

  const refuse = (call: ToolCall, by: string, reason?: string): Effect.Effect<never, ApprovalDenied> => {
    const { callId, name: tool } = call
    const denied = { tool, callId, by, stop: false, ...(reason === undefined ? {} : { reason }) }
    return Effect.zipRight(
      automatic(call, { decision: "deny", outcome: "denied", decided_by: by, reason: reason ?? null }),
      new ApprovalDenied(denied)
    )
  }

  const unavailable = (call: ToolCall) =>
    Effect.zipRight(
      automatic(call, { decision: "deny", outcome: "unavailable", decided_by: "policy" }),
      new ApprovalUnavailable({ tool: call.name, callId: call.callId })
    )

  const allowed = (call: ToolCall, by: string): Effect.Effect<Clearance> =>
    Effect.as(automatic(call, { decision: "approve", outcome: "granted", decided_by: by }), unasked)

  /** Says that a reviewer has not answered, once for each call, however often it is asked for. */
  const warned = new WeakSet<ToolCall>()
  const warn = (call: ToolCall, { by, decision, failed, reason = "" }: ReviewerAnswer) =>
    Effect.suspend(() => {
      if (failed !== true || decision === "approve" || warned.has(call)) return Effect.void
      warned.add(call)
      const { callId, name: tool } = call
      return call.sink.emit(new ReviewerFailed({ callId, tool, by, decision, reason }, trusted))
    })

  /** The request for a call; fails if it cannot be shown. */
  const drafted = (call: ToolCall, subject: Subject, preview: Show, because: string) =>
    Effect.tapError(draft(desk, call, subject, preview, because), ({ why: reason }) =>
      automatic(call, { decision: "deny", outcome: "cannot be shown", decided_by: "limit", reason })
    )

  const reviewed = (
    call: ToolCall,
    subject: Subject,
    preview: Show,
    because: string,
    otherwise: Cleared,
    decide: NonNullable<ReviewerService["decide"]>
  ): Cleared =>
    Effect.gen(function* () {
      const { preview: shown, request, stillHolds } = yield* drafted(call, subject, preview, because)
      const answer = yield* consulted({ ...reviewer, decide }, request)
      yield* warn(call, answer)
      const { by, decision, failed = false, reason } = answer
      if (decision === "deny") return yield* refuse(call, by, reason)
      const said = { decided_by: by, digest: request.digest, reason: reason ?? null }
      if (decision === "ask") {
        yield* audit.record(entryOf(call, "consulted", { ...said, outcome: failed ? "failed" : "passed" }))
        return yield* otherwise
      }
      yield* audit.commit(entryOf(call, "automatic", { ...said, decision: "approve", outcome: "granted" }))
      return { preview: shown, stillHolds }
    })

  const conclude = (
    call: ToolCall,
    asks: Wanted,
    subject: Subject,
    preview: Show,
    { because, grant, refusal, rule, unread, verdict }: Explanation
  ): Cleared => {
    const session = sessions.of(call.sessionId)
    if (refusal !== undefined) return refuse(call, "policy", call.by === "user" ? plannedForUser : refusal)
    if (verdict === "allow") {
      if (grant !== undefined) return allowed(call, `grant ${grant.id}`)
      if (rule !== undefined) return allowed(call, `rule ${rule.id}`)
      if (asks === false) return Effect.succeed(unasked)
      const mode = allowed(call, "policy")
      return session.policy === "sandboxed" && asks === "confined" ? Effect.map(mode, confinedBy) : mode
    }
    if (rule?.decision === "deny" && unread !== true) return refuse(call, `rule ${rule.id}`, because)
    if (session.closing) return unavailable(call)
    if (verdict === "ask" && redeem(call)) return allowed(call, "its start before a restart")
    if (session.isWorn(likeness(call, subject))) return refuse(call, "repetition", worn)
    const asked: Cleared =
      verdict === "ask" && attended
        ? Effect.flatMap(drafted(call, subject, preview, because), (shown) =>
            // What was looked at is what is done: were the files changed meanwhile, the call would be judged anew.
            shown.preview?.unchanged === true && rule === undefined && asks === "contained"
              ? Effect.as(allowed(call, "no change"), { preview: shown.preview, stillHolds: shown.stillHolds })
              : desk.ask(call, shown)
          )
        : call.repeats !== undefined
          ? refuse(call, "loop guard", unheard)
          : verdict === "deny"
            ? refuse(call, "policy")
            : unavailable(call)
    const { decide } = reviewer
    return decide === undefined ? asked : reviewed(call, subject, preview, because, asked, decide)
  }

  /** An answer that relies on files is void once one of them has changed. */
  const judged = (book: RuleBook, call: ToolCall, asks: Wanted, preview: Show): Cleared =>
    Effect.flatMap(desk.now, (now) => {
      const session = sessions.of(call.sessionId)
      const { grants, policy } = session
      const { subjects } = session.project
      const subject = subjects.of(call)
      const found = verdict(session, book, call, asks, subject, now)
      const concluded = (explanation: Explanation): Cleared => {
        const cleared = conclude(call, asks, subject, preview, explanation)
        if (!book.concerns(call.name)) return cleared
        const withheld = book.withheld(call.name, subject, policy !== "allow")
        const ruled = (touches: Touches) => book.verdict(call.name, subjects.of({ ...call, touches }))?.decision
        return Effect.map(cleared, (clearance) => ({ ...clearance, ruled, ...withheld }))
      }
      const { basis = [], grant } = found
      if (basis.length === 0) return concluded(found)
      return Effect.flatMap(unchanged(files.hash, basis), (same): Cleared => {
        if (same) return concluded(found)
        if (grant === undefined) {
          const byPolicy = asks === false ? "allow" : byMode(session, call, asks, subject, false)
          return concluded({ verdict: byPolicy, because: "" })
        }
        grants.remove(({ id }) => id === grant.id)
        const { id: reason, sessionId, tool } = grant
        const revoked = { kind: "revoked", session: sessionId, tool, decided_by: "changed files", reason } as const
        return Effect.zipRight(audit.record(revoked), judged(book, call, asks, preview))
      })
    })

  /** Whether anything can be said of the call but that it may run. */
  const isJudged = (call: ToolCall, asks: Wanted, book: RuleBook): boolean =>
    asks !== false ||
    call.repeats !== undefined ||
    modes[sessions.of(call.sessionId).policy].readsOnly === true ||
    book.concerns(call.name)

  return {
    foresee: Effect.fn("Approvals.foresee")(function* (call: ToolCall, asks: Wanted, preview: Show) {
      const session = sessions.of(call.sessionId)
      const book = yield* session.project.get
      // What a reviewer would say is not known before it is asked.
      if (!attended || reviewer.decide !== undefined || session.closing || !isJudged(call, asks, book)) return undefined
      const subject = session.project.subjects.of(call)
      const found = verdict(session, book, call, asks, subject, yield* desk.now)
      const refused = found.refusal !== undefined || (found.rule?.decision === "deny" && found.unread !== true)
      if (refused || found.verdict !== "ask" || session.isWorn(likeness(call, subject))) return undefined
      return (yield* draft(desk, call, subject, preview, found.because)).request
    }),
    request: (call, asks, preview) => {
      const known = sessions.of(call.sessionId).project.peek()
      if (known !== undefined && !isJudged(call, asks, known)) return free
      const withBook = (book: RuleBook): Cleared =>
        isJudged(call, asks, book) ? judged(book, call, asks, preview) : free
      return Effect.suspend(() => {
        const { project } = sessions.of(call.sessionId)
        const book = project.peek()
        return book === undefined ? Effect.flatMap(project.get, withBook) : withBook(book)
      })
    },
    explain: Effect.fn("Approvals.explain")(function* (question: Question) {
      const { parameters, session = "", tool, workerPath = ["root"] } = question
      const { grants, policy, project: own } = sessions.of(session)
      const project = question.project === undefined ? own : own.at(question.project)
      const { name } = tool
      const params = Either.getOrElse(tool.codec.decode()(parameters), () => parameters)
      const subject = project.subjects.of({ name, tool, params, rawParams: parameters })
      const call = { name, tool, workerPath }
      const asks = question.asks ?? declared(tool)
      return verdict({ grants, policy, project }, yield* project.get, call, asks, subject, yield* desk.now)
    })
  }
}
