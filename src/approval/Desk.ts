import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { Redactor } from "../redaction/Redactor.ts"
import { callKey } from "../tool/CallPlace.ts"
import { Ids } from "../tool/Ids.ts"
import type { ToolCall } from "../tool/ToolCall.ts"
import { ApprovalRequested, ApprovalResolved, trusted } from "../tool/ToolEvent.ts"
import { isSame } from "../tool/WorkerPath.ts"
import {
  ApprovalMismatch,
  ApprovalNotPending,
  ApprovalQueueFull,
  type ApprovalRefused,
  type DecisionRefused
} from "./ApprovalError.ts"
import { Ahead, type Foresee } from "./Ahead.ts"
import { answerByRule } from "./answerByRule.ts"
import { AnswerBox, takenFrom } from "./AnswerBox.ts"
import { Audit } from "../audit/Audit.ts"
import { type AuditEntry, entryOf } from "../audit/AuditChain.ts"
import * as DeadlineClock from "../system/DeadlineClock.ts"
import { timeSpan } from "../system/wholeNumber.ts"
import {
  type Clearance,
  clearanceOf,
  type Decide,
  type Decision,
  proper,
  refusedEntry,
  type Resolution,
  resolutionOf
} from "./Decision.ts"
import { FileHash } from "./FileHash.ts"
import type { Grant, GrantLimits } from "./Grants.ts"
import * as Lasting from "./Lasting.ts"
import { Audiences, EndedRequests, pending, type Pending, Suspended, tell } from "./Queue.ts"
import type { Draft, Means } from "./Request.ts"
import type { SessionApprovals, SessionState, SessionStates } from "./SessionState.ts"
import { likeness } from "./Subject.ts"

export interface DeskOptions {
  /** How long a person has once the request is shown, `Duration.infinity` for as long as they want; 30 seconds if unset. */
  readonly timeout?: Duration.DurationInput
  /** Requests of one audience that may wait, the shown one included; 32 if unset. */
  readonly maxPending?: number
  /** Whether `always` is offered, which saves a rule; false if unset. */
  readonly always?: boolean
  readonly grants?: Partial<GrantLimits>
}

/** The one place where calls wait for decisions and decisions find their calls. */
export interface Desk extends Means {
  readonly audit: Audit["Type"]
  /** The clock of deadlines: monotonic milliseconds. */
  readonly now: Effect.Effect<number>
  readonly audiences: Audiences
  /** Waits for the decision on a call. */
  readonly ask: (call: ToolCall, asked: Draft) => Effect.Effect<Clearance, ApprovalRefused>
  readonly decide: (decision: Decision) => Effect.Effect<void, DecisionRefused>
  /** What later calls of the same answer would ask while this request waits; each can be allowed by its id, once. */
  readonly foreseen: (approvalId: string, foresee: Foresee) => Effect.Effect<ReadonlyArray<Pending["request"]>>
  /** What the owner of a session may do with its requests. */
  readonly owned: (session: SessionState) => Pick<SessionApprovals, "suspend" | "restore" | "abandon">
  /** Takes back what was granted and fits; whether there was any. */
  readonly revoke: (session: SessionState, by: string, fits: (grant: Grant) => boolean) => Effect.Effect<boolean>
}

/** Where a call of a session is found again after a restart. */
const keyOf = ({ callId, workerPath }: Pick<ToolCall, "workerPath" | "callId">): string =>
  callKey({ worker: workerPath }, callId)

/** What more than the call an answer can cover; nothing where the call repeats those before it, nor does a grant cover that. */
const covers = ({ repeats }: ToolCall, { grantable }: Draft) => (repeats === undefined ? grantable : undefined)

/** `atOnce` decides before a person sees the request. */
export const make = (
  options: DeskOptions,
  sessions: SessionStates,
  atOnce?: Decide
): Effect.Effect<Desk, never, Audit> =>
  Effect.gen(function* () {
    const ids = yield* Ids
    const audit = yield* Audit
    const files = yield* FileHash
    const { box } = yield* AnswerBox
    const now = yield* DeadlineClock.make
    const audiences = new Audiences(now)
    const { maxPending = 32 } = options
    const timeoutMillis = Duration.toMillis(timeSpan("Approvals: timeout", options.timeout ?? "30 seconds"))
    const ended = new EndedRequests()
    const ahead = new Ahead(audit, ended)

    const extend = Lasting.make({ audit, audiences, files, ids, now, sessions })

    const resolved = (call: ToolCall, { askedAt, request }: Pending, resolution: Resolution) =>
      Effect.flatMap(now, (now) => {
        const { by, outcome, reason, scope } = resolution
        const waitedMillis = Math.max(0, now - askedAt)
        ended.add(request.id, outcome)
        const entry = entryOf(call, "resolved", {
          approval: request.id,
          digest: request.digest,
          decision: outcome === "granted" ? "approve" : "deny",
          outcome,
          scope: scope ?? null,
          decided_by: by,
          reason: reason ?? null,
          waited_millis: waitedMillis
        })
        const told = { callId: call.callId, tool: call.name, approvalId: request.id, waitedMillis, outcome, by }
        const more = { ...(scope === undefined ? {} : { scope }), ...(reason === undefined ? {} : { reason }) }
        const event = new ApprovalResolved({ ...told, ...more }, trusted)
        // Nothing runs by a decision that is not in the audit.
        return Effect.zipRight(outcome === "granted" ? audit.commit(entry) : audit.record(entry), call.sink.emit(event))
      })

    const announce = (call: ToolCall, { request }: Pending, ahead: number) =>
      Effect.zipRight(
        audit.record(entryOf(call, "requested", { approval: request.id, digest: request.digest })),
        call.sink.emit(new ApprovalRequested({ request, ahead }, trusted))
      )

    /** The stored request of this very call, if it is still the same; one that is not is withdrawn. */
    const takeRestored = (call: ToolCall, asked: Draft): Effect.Effect<Pending | undefined> =>
      Effect.suspend(() => {
        const { restored } = sessions.of(call.sessionId)
        const found = restored.get(keyOf(call))
        if (found === undefined) return Effect.succeed(undefined)
        restored.delete(keyOf(call))
        if (found.request.digest === asked.request.digest) {
          return Effect.succeed({
            ...found,
            grantable: covers(call, asked),
            sink: call.sink,
            tool: call.tool,
            unmasked: asked.unmasked
          })
        }
        const superseded = { outcome: "withdrawn", by: "change", reason: "What it would do has changed." } as const
        return Effect.as(resolved(call, found, superseded), undefined)
      })

    const expiry = ({ answer, shown }: Pending) =>
      Deferred.await(shown).pipe(
        Effect.zipRight(Effect.sleep(timeoutMillis)),
        Effect.zipRight(Deferred.succeed(answer, { outcome: "expired", by: "timeout" })),
        Effect.zipRight(Deferred.await(answer))
      )

    const answered = (call: ToolCall, asked: Draft, resolution: Resolution) => {
      if (resolution.outcome === "denied") {
        sessions.of(call.sessionId).denied(likeness(call, asked.grantable.subject))
      }
      return clearanceOf(call, asked, resolution, timeoutMillis)
    }

    const wait = (call: ToolCall, asked: Draft) =>
      Effect.gen(function* (): Effect.fn.Return<Clearance, ApprovalRefused> {
        const { callId, name: tool } = call
        const session = sessions.of(call.sessionId)
        if (audiences.of(session.audience).all.length >= maxPending) {
          const why = { decision: "deny", outcome: "queue full", decided_by: "limit" } as const
          yield* audit.record(entryOf(call, "automatic", why))
          return yield* new ApprovalQueueFull({ tool, callId, limit: maxPending })
        }
        const known = yield* takeRestored(call, asked)
        const waiting =
          known ??
          (yield* pending(asked.request, covers(call, asked), call.sink, yield* now, asked.unmasked, call.tool))
        const queue = audiences.of(session.audience)
        // In the queue before it is announced: an answer can come as soon as the event is out.
        const before = queue.add(waiting)
        ahead.begin(waiting.request.id, call)
        if (atOnce !== undefined) yield* byRule(waiting, atOnce)
        yield* known === undefined ? announce(call, waiting, before) : tell(waiting, before)
        yield* queue.advance
        // One that outlives its runtime waits until its call is interrupted with it, also in a step that nothing else interrupts:
        // a race there would not end before all its sides have.
        const waited = Effect.orElse(
          Effect.raceFirst(
            Effect.raceFirst(Deferred.await(waiting.answer), expiry(waiting)),
            elsewhere(waiting.request.id)
          ),
          () => Effect.never
        )
        const exit = yield* Effect.exit(Effect.interruptible(waited))
        if (Exit.isFailure(exit)) {
          const by = session.closing ? "shutdown" : "interruption"
          yield* Deferred.succeed(waiting.answer, { outcome: "withdrawn", by })
        }
        // The first answer decides, regardless of what ended the wait.
        const resolution = yield* Effect.option(Deferred.await(waiting.answer))
        if (Option.isSome(resolution)) yield* resolved(call, waiting, resolution.value)
        ahead.end(waiting.request.id)
        yield* audiences.leave(session.audience, waiting)
        if (Exit.isFailure(exit)) return yield* Effect.failCause(exit.cause)
        return yield* answered(call, asked, exit.value)
      })

    const accept = (decision: Decision): Effect.Effect<void, DecisionRefused> =>
      Effect.gen(function* () {
        const { approvalId } = decision
        const later = ahead.find(approvalId)
        if (later !== undefined) return yield* ahead.accept(later, decision)
        const waiting = audiences.find(approvalId) ?? sessions.restored(approvalId)
        if (waiting === undefined) {
          return yield* new ApprovalNotPending({ approvalId, state: ended.stateOf(approvalId) })
        }
        const { answer, shownAt } = waiting
        const { digest, scopes, sessionId, wider: offered } = waiting.request
        if (sessionId !== decision.sessionId) return yield* new ApprovalMismatch({ approvalId, what: "session" })
        if (digest !== decision.digest) return yield* new ApprovalMismatch({ approvalId, what: "digest" })
        const { scope, wider } = decision
        const isOffered = wider === undefined || (wider === offered?.kind && (scope === "task" || scope === "session"))
        if (decision.decision === "approve" && !(scopes.includes(scope) && isOffered)) {
          return yield* new ApprovalMismatch({ approvalId, what: "scope" })
        }
        // A machine that slept has not let the timer run, but the clock of deadlines knows.
        const late = shownAt !== undefined && (yield* now) - shownAt >= timeoutMillis
        const resolution: Resolution = late ? { outcome: "expired", by: "timeout" } : resolutionOf(decision)
        const first = yield* Deferred.succeed(answer, resolution)
        if (!first || late) {
          const outcome = Effect.map(Deferred.await(answer), ({ outcome }) => outcome)
          const state = yield* Effect.orElseSucceed(outcome, () => "suspended" as const)
          return yield* new ApprovalNotPending({ approvalId, state })
        }
        if (resolution.outcome === "granted") yield* extend(waiting, decision)
      })

    const decide = Effect.fn("Approvals.decide")((given: Decision) =>
      Effect.flatMap(proper(given), (decision) =>
        Effect.uninterruptible(
          Effect.tapError(accept(decision), (error) => audit.record(refusedEntry(decision, error)))
        )
      )
    )
    const elsewhere = takenFrom(box, decide)

    const byRule = answerByRule(decide)

    return {
      ids,
      audit,
      redactor: yield* Redactor,
      files,
      projectOf: (session) => sessions.of(session).project,
      now,
      audiences,
      always: options.always ?? false,
      timeoutMillis,
      ask: (call, asked) =>
        Effect.suspend(() => {
          const cleared = ahead.take(call, asked)
          return cleared === undefined ? Effect.uninterruptible(wait(call, asked)) : Effect.succeed(cleared)
        }),
      foreseen: (approvalId, foresee) => ahead.behind(approvalId, foresee),
      decide,
      revoke: ({ grants, id: session }, by, fits) =>
        Effect.suspend(() => {
          const removed = grants
            .remove(fits)
            .map(({ id, tool }): AuditEntry => ({ kind: "revoked", session, tool, decided_by: by, reason: id }))
          return Effect.as(Effect.forEach(removed, audit.record, { discard: true }), removed.length > 0)
        }),
      owned: (session) => ({
        restore: (requests) =>
          Effect.forEach(
            requests,
            (request) =>
              Effect.flatMap(now, (now) =>
                Effect.map(pending(request, undefined, undefined, now), (one) =>
                  session.restored.set(keyOf(request), one)
                )
              ),
            { discard: true }
          ),
        suspend: (waiting) =>
          Effect.suspend(() => {
            session.closing = true
            const stays = new Set(waiting)
            const open = [...audiences.all, ...session.restored.values()].filter(({ request }) => stays.has(request.id))
            return Effect.forEach(open, ({ answer }) => Deferred.fail(answer, new Suspended()), { discard: true })
          }),
        abandon: (workerPath) =>
          Effect.sync(() => {
            const left = [...session.restored.values()].filter(({ request }) => isSame(request.workerPath, workerPath))
            return left.map(({ request }) => {
              session.restored.delete(keyOf(request))
              ended.add(request.id, "withdrawn")
              return request
            })
          })
      })
    } satisfies Desk
  })
