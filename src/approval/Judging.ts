import * as Effect from "effect/Effect"
import type { Preview } from "../tool/Preview.ts"
import type { ToolCall } from "../tool/ToolCall.ts"
import { DelegateFailed, trusted } from "../tool/ToolEvent.ts"
import { ApprovalDenied, type ApprovalRefused, ApprovalUnavailable } from "./ApprovalError.ts"
import { judge } from "./ApprovalPolicy.ts"
import type { Approvals, Clearance, Question, Wanted } from "./Approvals.ts"
import type { Asking } from "./Asking.ts"
import type { Delegate, DelegateAnswer } from "./Delegate.ts"
import { type DeskState, entryOf } from "./DeskState.ts"
import { draft } from "./Draft.ts"
import { explain, type Explanation } from "./explain.ts"
import { unchanged } from "./Grantable.ts"
import { workersOf } from "./Grants.ts"
import type { RuleBook } from "./RuleBook.ts"
import type { SessionState } from "./SessionState.ts"
import { likeness, type Subject } from "./Subject.ts"

/** What decides on a call before a person does. */
export type Judging = Pick<Approvals["Type"], "request" | "explain">

type Standing = Pick<SessionState, "grants" | "policy" | "project">
type Show = Effect.Effect<Preview | undefined>
type Cleared = Effect.Effect<Clearance, ApprovalRefused>

/** For a call that nobody has to see. */
const unasked: Clearance = { preview: undefined, stillHolds: Effect.succeed(true) }
/** For a call that neither its tool nor a rule wants a decision on. */
const free: Effect.Effect<Clearance> = Effect.succeed({ preview: undefined, stillHolds: undefined })

const unheard = "nobody can be asked whether it may go on"
const worn = "It was denied several times in this task. Do something else, or ask the user."

export const make = (state: DeskState, { ask }: Asking): Judging => {
  const { attended, audit, delegate, files, sessions, vouchers } = state

  /** What the mode says; only two of the modes ask what the call touches. */
  const byMode = (
    { policy, project }: Standing,
    call: Pick<ToolCall, "tool">,
    asks: Wanted,
    subject: Subject,
    askedByRule: boolean
  ) => {
    const looks = policy === "allow-edits" || policy === "allow-read-only"
    const contained =
      looks && !askedByRule && (asks === "contained" || (asks === "always" && project.isContained(call, subject)))
    return judge(policy, call.tool, contained)
  }

  const verdict = (
    standing: Standing,
    book: RuleBook,
    call: Pick<ToolCall, "name" | "tool" | "sessionId" | "workerPath" | "repeats">,
    asks: Wanted,
    subject: Subject,
    now: number
  ): Explanation => {
    const ruled = book.concerns(call.name) ? book.verdict(call.name, subject) : undefined
    const { grants, policy } = standing
    const grant = grants.find(call.sessionId, workersOf(call.workerPath), subject.key, now)
    const byPolicy = byMode(standing, call, asks, subject, ruled?.decision === "ask")
    return explain({ tool: call.name, asks: asks !== false, ruled, grant, policy, byPolicy, repeats: call.repeats })
  }

  const refuse = (call: ToolCall, by: string, reason?: string): Effect.Effect<never, ApprovalDenied> =>
    Effect.zipRight(
      audit.record(
        entryOf(call, "automatic", {
          decision: "deny",
          outcome: "denied",
          decided_by: by,
          arguments: call.rawParams,
          reason: reason ?? null
        })
      ),
      new ApprovalDenied({
        tool: call.name,
        callId: call.callId,
        by,
        stop: false,
        ...(reason === undefined ? {} : { reason })
      })
    )

  const unavailable = (call: ToolCall) =>
    Effect.zipRight(
      audit.record(
        entryOf(call, "automatic", {
          decision: "deny",
          outcome: "unavailable",
          decided_by: "policy",
          arguments: call.rawParams
        })
      ),
      new ApprovalUnavailable({ tool: call.name, callId: call.callId })
    )

  const allowed = (call: ToolCall, by: string): Effect.Effect<Clearance> =>
    Effect.as(
      audit.record(
        entryOf(call, "automatic", {
          decision: "approve",
          outcome: "granted",
          decided_by: by,
          arguments: call.rawParams
        })
      ),
      unasked
    )

  /** Says that a delegate has not answered, once for each call, however often it is asked for. */
  const warned = new WeakSet<ToolCall>()
  const warn = (call: ToolCall, { by, decision, failed, reason = "" }: DelegateAnswer) =>
    Effect.suspend(() => {
      if (failed !== true || decision === "approve" || warned.has(call)) return Effect.void
      warned.add(call)
      const { callId, name: tool } = call
      return call.sink.emit(new DelegateFailed({ callId, tool, by, decision, reason }, trusted))
    })

  /** The request for a call; nobody can answer one that nobody could read. */
  const drafted = (call: ToolCall, subject: Subject, preview: Show) =>
    Effect.tapError(draft(state, call, subject, preview), ({ why }) =>
      audit.record(
        entryOf(call, "automatic", {
          decision: "deny",
          outcome: "cannot be shown",
          decided_by: "limit",
          arguments: call.rawParams,
          reason: why
        })
      )
    )

  const byDelegate = (
    call: ToolCall,
    subject: Subject,
    preview: Show,
    otherwise: Cleared,
    decide: NonNullable<Delegate["Type"]["decide"]>
  ): Cleared =>
    Effect.flatMap(drafted(call, subject, preview), ({ preview: shown, request, stillHolds }) =>
      Effect.flatMap(
        Effect.tap(decide(request), (answer) => warn(call, answer)),
        (answer): Cleared => {
          const { by, decision, failed = false, reason } = answer
          if (decision === "ask") {
            const passed = entryOf(call, "consulted", {
              outcome: failed ? "failed" : "passed",
              decided_by: by,
              digest: request.digest,
              arguments: call.rawParams,
              reason: reason ?? null
            })
            return Effect.zipRight(audit.record(passed), otherwise)
          }
          if (decision === "deny") return refuse(call, by, reason)
          const entry = entryOf(call, "automatic", {
            decision: "approve",
            outcome: "granted",
            decided_by: by,
            digest: request.digest,
            arguments: call.rawParams,
            reason: reason ?? null
          })
          return Effect.as(audit.commit(entry), { preview: shown, stillHolds })
        }
      )
    )

  const conclude = (
    call: ToolCall,
    asks: Wanted,
    subject: Subject,
    preview: Show,
    { because, grant, rule, verdict }: Explanation
  ): Cleared => {
    if (verdict === "allow") {
      if (grant !== undefined) return allowed(call, `grant ${grant.id}`)
      if (rule !== undefined) return allowed(call, `rule ${rule.id}`)
      return asks === false ? Effect.succeed(unasked) : allowed(call, "policy")
    }
    if (rule?.decision === "deny") return refuse(call, `rule ${rule.id}`, because)
    const session = sessions.of(call.sessionId)
    if (session.closing) return unavailable(call)
    if (verdict === "ask" && vouchers.redeem(call)) return allowed(call, "its start before a restart")
    if (session.isWorn(likeness(call, subject))) return refuse(call, "repetition", worn)
    const asked: Cleared =
      verdict === "ask" && attended
        ? Effect.flatMap(drafted(call, subject, preview), (shown) => ask(call, shown))
        : call.repeats !== undefined
          ? refuse(call, "loop guard", unheard)
          : verdict === "deny"
            ? refuse(call, "policy")
            : unavailable(call)
    return delegate === undefined ? asked : byDelegate(call, subject, preview, asked, delegate)
  }

  /** An answer that relies on files is void once one of them has changed. */
  const judged = (book: RuleBook, call: ToolCall, asks: Wanted, preview: Show): Cleared =>
    Effect.flatMap(state.now, (now) => {
      const session = sessions.of(call.sessionId)
      const { grants, policy } = session
      const { subjects } = session.project
      const subject = subjects.of(call)
      const found = verdict(session, book, call, asks, subject, now)
      const withheld = book.withheld(call.name, subject, policy !== "allow")
      const ruled = (rawParams: unknown) =>
        book.verdict(call.name, subjects.of({ ...call, params: rawParams, rawParams }))?.decision
      const concluded = (explanation: Explanation): Cleared => {
        const cleared = conclude(call, asks, subject, preview, explanation)
        return book.concerns(call.name)
          ? Effect.map(cleared, (clearance) => ({ ...clearance, ruled, ...(withheld && { withheld }) }))
          : cleared
      }
      const { basis = [], grant } = found
      if (basis.length === 0) return concluded(found)
      return Effect.flatMap(unchanged(files.hash, basis), (same): Cleared => {
        if (same) return concluded(found)
        if (grant !== undefined) {
          grants.remove(({ id }) => id === grant.id)
          const { id: reason, sessionId: session, tool } = grant
          return Effect.zipRight(
            audit.record({ kind: "revoked", session, tool, decided_by: "changed files", reason }),
            judged(book, call, asks, preview)
          )
        }
        return concluded({
          verdict: asks === false ? "allow" : byMode(session, call, asks, subject, false),
          because: ""
        })
      })
    })

  return {
    request: (call, asks, preview) =>
      Effect.suspend(() => {
        const { project } = sessions.of(call.sessionId)
        const withBook = (book: RuleBook): Cleared =>
          asks !== false || call.repeats !== undefined || book.concerns(call.name)
            ? judged(book, call, asks, preview)
            : free
        const book = project.peek()
        return book === undefined ? Effect.flatMap(project.get, withBook) : withBook(book)
      }),
    explain: Effect.fn("Approvals.explain")(function* (question: Question) {
      const { asks, parameters, session: sessionId = "", tool, workerPath = ["root"] } = question
      const known = sessions.of(sessionId)
      const project = question.project === undefined ? known.project : known.project.at(question.project)
      const { name } = tool
      const subject = project.subjects.of({ name, tool, params: parameters, rawParams: parameters })
      const now = yield* state.now
      return verdict(
        { grants: known.grants, policy: known.policy, project },
        yield* project.get,
        { name, tool, sessionId, workerPath },
        asks ?? (tool.approval === "never" ? false : tool.approval === "always" ? "always" : true),
        subject,
        now
      )
    })
  }
}
