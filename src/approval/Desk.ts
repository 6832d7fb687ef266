import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Redactor } from "../redaction/Redactor.ts"
import type { ApprovalRequest } from "../tool/ApprovalRequest.ts"
import { Ids } from "../tool/Ids.ts"
import type { Preview } from "../tool/Preview.ts"
import type { ToolCall } from "../tool/ToolCall.ts"
import { ApprovalRequested, ApprovalResolved, trusted } from "../tool/ToolEvent.ts"
import {
  ApprovalDenied,
  ApprovalExpired,
  ApprovalMismatch,
  ApprovalNotPending,
  ApprovalQueueFull,
  type ApprovalRefused,
  ApprovalUnavailable,
  type DecisionRefused
} from "./ApprovalError.ts"
import { type ApprovalPolicy, judge } from "./ApprovalPolicy.ts"
import type { Approvals, ApprovalsOptions, Clearance, Decision } from "./Approvals.ts"
import { Audit } from "./Audit.ts"
import type { AuditEntry } from "./AuditEntry.ts"
import * as Books from "./Books.ts"
import { Delegate } from "./Delegate.ts"
import { digest } from "./Digest.ts"
import { explain, type Explanation } from "./explain.ts"
import { type Grantable, grantable, hashes, unchanged } from "./Grantable.ts"
import { defaultLimits, type Grant, Grants, workerText } from "./Grants.ts"
import * as Pending from "./Pending.ts"
import { Repetition } from "./Repetition.ts"
import { requestOf } from "./requestOf.ts"
import type { RuleBook } from "./RuleBook.ts"
import { RuleStore } from "./RuleStore.ts"
import { type Subject, Subjects } from "./Subject.ts"
import { TargetHash } from "./TargetHash.ts"

const maxPending = 32
/** Ended requests that are still told from those that never were. */
const maxEnded = 1000

const always: Effect.Effect<boolean> = Effect.succeed(true)
/** For a call that nobody has to see. */
const unasked: Clearance = { preview: undefined, stillHolds: always }
const free: Effect.Effect<Clearance> = Effect.succeed(unasked)

/** Where a call of a session is found again after a restart. */
const callKey = (sessionId: string, workerPath: ReadonlyArray<string>, callId: string): string =>
  JSON.stringify([sessionId, workerPath, callId])

type Decide = (
  request: ApprovalRequest
) => Pick<Decision, "decision"> & Partial<Pick<Decision, "scope" | "reason" | "stop">>

/** The one place where calls wait for decisions and decisions find their calls. */
export const make = (options: ApprovalsOptions, decideNow?: Decide) =>
  Effect.gen(function* () {
    const ids = yield* Ids
    const audit = yield* Audit
    const redactor = yield* Redactor
    const subjects = yield* Subjects
    const { hash } = yield* TargetHash
    const delegate = yield* Delegate
    const books = yield* Books.make(
      { rules: options.rules ?? [], trusted: options.trusted ?? false, root: options.root ?? "/" },
      yield* RuleStore
    )
    const limits = { ...defaultLimits, ...options.grants }
    const grants = new Grants(limits)
    const queue = new Pending.ApprovalQueue(options.maxPending ?? maxPending)
    const repetition = new Repetition()
    const timeoutMillis = Duration.toMillis(Duration.decode(options.timeout ?? "30 seconds"))
    const policies = new Map<string, ApprovalPolicy>()
    const projects = new Map<string, string>()
    const closing = new Set<string>()
    const restored = new Map<string, Pending.Pending>()
    const ended = new Map<string, ApprovalNotPending["state"]>()

    const policyOf = (session: string) => policies.get(session) ?? options.policy
    const projectOf = (session: string) => projects.get(session) ?? ""
    const isLate = ({ shownAt }: Pending.Pending, now: number) => shownAt !== undefined && now - shownAt >= timeoutMillis
    const entryOf = (call: ToolCall, kind: AuditEntry["kind"], more: Partial<AuditEntry>): AuditEntry => ({
      kind,
      session: call.sessionId,
      worker: call.workerPath,
      tool: call.name,
      call: call.callId,
      ...more
    })

    const remember = (id: string, state: ApprovalNotPending["state"]) => {
      ended.set(id, state)
      for (const oldest of ended.keys()) {
        if (ended.size <= maxEnded) break
        ended.delete(oldest)
      }
    }

    // ── what decides without asking ──────────────────────────────────────────────────────────────────────────────

    const verdict = (book: RuleBook, call: ToolCall, asks: boolean, subject: Subject, now: number): Explanation => {
      const ruled = book.concerns(call.name) ? book.verdict(call.name, subject) : undefined
      const grant = grants.find(call.sessionId, workerText(call.workerPath), subject.key, now)
      const policy = policyOf(call.sessionId)
      const byPolicy = judge(policy, call.tool, ruled?.decision === "ask")
      return explain({ tool: call.name, asks, ruled, grant, policy, byPolicy })
    }

    /** A grant or a rule that relies on files is void once one of them has changed. */
    const basisHolds = ({ grant, rule }: Explanation): Effect.Effect<boolean> => {
      const basis = grant?.basis ?? rule?.basis
      if (basis === undefined || basis.length === 0) return always
      return Effect.tap(unchanged(hash, basis), (same) => {
        if (same || grant === undefined) return Effect.void
        grants.remove(({ id }) => id === grant.id)
        const { id, sessionId, tool } = grant
        return audit.record({ kind: "revoked", session: sessionId, tool, decided_by: "changed files", reason: id })
      })
    }

    const request = (
      call: ToolCall,
      asks: boolean,
      preview: Effect.Effect<Preview | undefined>
    ): Effect.Effect<Clearance, ApprovalRefused> =>
      Effect.suspend(() => {
        const project = projectOf(call.sessionId)
        const book = books.peek(project)
        return book === undefined
          ? Effect.flatMap(books.get(project), (loaded) => judged(loaded, call, asks, preview))
          : judged(book, call, asks, preview)
      })

    const judged = (
      book: RuleBook,
      call: ToolCall,
      asks: boolean,
      preview: Effect.Effect<Preview | undefined>
    ): Effect.Effect<Clearance, ApprovalRefused> => {
      if (!asks && !book.concerns(call.name)) return free
      return Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const subject = subjects.of(call)
        const found = verdict(book, call, asks, subject, now)
        return Effect.flatMap(basisHolds(found), (holds) =>
          holds
            ? conclude(call, asks, subject, preview, found)
            : conclude(call, asks, subject, preview, {
                verdict: judge(policyOf(call.sessionId), call.tool),
                because: "A file that the answer relied on has changed."
              })
        )
      })
    }

    const conclude = (
      call: ToolCall,
      asks: boolean,
      subject: Subject,
      preview: Effect.Effect<Preview | undefined>,
      { because, grant, rule, verdict }: Explanation
    ): Effect.Effect<Clearance, ApprovalRefused> => {
      const { callId, name: tool } = call
      if (verdict === "allow") {
        if (!asks && rule === undefined && grant === undefined) return free
        const by = grant !== undefined ? `grant ${grant.id}` : rule !== undefined ? `rule ${rule.id}` : "policy"
        const entry = entryOf(call, "automatic", {
          decision: "approve",
          outcome: "granted",
          decided_by: by,
          arguments: call.rawParams
        })
        return Effect.as(audit.record(entry), unasked)
      }
      if (verdict === "deny" && rule !== undefined && rule.decision === "deny") {
        return refuse(call, `rule ${rule.id}`, because)
      }
      if (closing.has(call.sessionId)) return new ApprovalUnavailable({ tool, callId })
      if (repetition.isWorn(call.sessionId, digest(call, []))) {
        return refuse(call, "repetition", "It was denied several times in this task. Do something else, or ask the user.")
      }
      const byMode: Effect.Effect<Clearance, ApprovalRefused> =
        verdict === "ask"
          ? ask(call, subject, preview)
          : verdict === "deny"
            ? refuse(call, "policy")
            : Effect.zipRight(
                audit.record(entryOf(call, "automatic", { decision: "deny", outcome: "unavailable", decided_by: "policy" })),
                new ApprovalUnavailable({ tool, callId })
              )
      return delegate.decide === undefined ? byMode : byDelegate(call, subject, preview, byMode, delegate.decide)
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

    // ── asking ───────────────────────────────────────────────────────────────────────────────────────────────────

    interface Draft {
      readonly request: ApprovalRequest
      readonly grantable: Grantable
      readonly preview: Preview | undefined
      readonly stillHolds: Effect.Effect<boolean>
    }

    /** What would be asked, bound to what is there now. */
    const draft = (call: ToolCall, subject: Subject, preview: Effect.Effect<Preview | undefined>) =>
      Effect.gen(function* (): Effect.fn.Return<Draft> {
        const shown = yield* preview
        const could = yield* grantable(call, subject, hash)
        const targets = shown?.targets ?? []
        const bound = digest(call, [...targets, ...(could.basis ?? [])])
        const request = requestOf({
          id: yield* ids.next("approval"),
          call,
          digest: bound,
          preview: shown,
          grantable: could,
          always: options.always ?? false,
          requestedAt: yield* Clock.currentTimeMillis,
          timeoutMillis,
          redactor
        })
        const targetsNow =
          call.tool.readOnly || targets.length === 0
            ? Effect.succeed(targets)
            : Effect.flatMap(
                hashes(
                  hash,
                  targets.map(({ path }) => path)
                ),
                (found) =>
                  found === undefined ? Effect.map(preview, (again) => again?.targets ?? []) : Effect.succeed(found)
              )
        const basisNow = could.basis === undefined ? Effect.succeed(undefined) : hashes(hash, subject.sources)
        return {
          request,
          grantable: could,
          preview: shown,
          stillHolds: Effect.zipWith(
            targetsNow,
            basisNow,
            (files, basis) => digest(call, [...files, ...(basis ?? [])]) === bound
          )
        }
      })

    const byDelegate = (
      call: ToolCall,
      subject: Subject,
      preview: Effect.Effect<Preview | undefined>,
      byMode: Effect.Effect<Clearance, ApprovalRefused>,
      decide: NonNullable<Delegate["Type"]["decide"]>
    ): Effect.Effect<Clearance, ApprovalRefused> =>
      Effect.flatMap(draft(call, subject, preview), ({ preview: shown, request, stillHolds }) =>
        Effect.flatMap(decide(request), ({ by, decision, reason }): Effect.Effect<Clearance, ApprovalRefused> => {
          if (decision === "ask") return byMode
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
        })
      )

    const resolved = (call: ToolCall, { request }: Pending.Pending, resolution: Pending.Resolution) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const { by, outcome, reason, scope } = resolution
        const waitedMillis = Math.max(0, now - request.requestedAt)
        remember(request.id, outcome)
        const entry = entryOf(call, "resolved", {
          approval: request.id,
          digest: request.digest,
          arguments: call.rawParams,
          decision: outcome === "granted" ? "approve" : "deny",
          outcome,
          scope: scope ?? null,
          decided_by: by,
          reason: reason ?? null,
          waited_millis: waitedMillis
        })
        const event = new ApprovalResolved(
          {
            callId: call.callId,
            tool: call.name,
            approvalId: request.id,
            waitedMillis,
            outcome,
            by,
            ...(scope === undefined ? {} : { scope }),
            ...(reason === undefined ? {} : { reason })
          },
          trusted
        )
        // Nothing runs by a decision that is not in the audit.
        return Effect.zipRight(outcome === "granted" ? audit.commit(entry) : audit.record(entry), call.sink.emit(event))
      })

    const ask = (
      call: ToolCall,
      subject: Subject,
      preview: Effect.Effect<Preview | undefined>
    ): Effect.Effect<Clearance, ApprovalRefused> =>
      Effect.flatMap(draft(call, subject, preview), (asked) =>
        Effect.uninterruptibleMask((restore) => wait(call, asked, restore))
      )

    const announce = (call: ToolCall, pending: Pending.Pending, ahead: number) => {
      const { request } = pending
      const entry = entryOf(call, "requested", {
        approval: request.id,
        digest: request.digest,
        arguments: call.rawParams
      })
      return Effect.zipRight(
        audit.record(entry),
        call.sink.emit(new ApprovalRequested({ request, ahead }, trusted))
      )
    }

    /** The stored request of this very call, if it is still the same; one that is not is withdrawn. */
    const takeRestored = (call: ToolCall, asked: Draft): Effect.Effect<Pending.Pending | undefined> =>
      Effect.suspend(() => {
        const key = callKey(call.sessionId, call.workerPath, call.callId)
        const found = restored.get(key)
        if (found === undefined) return Effect.succeed(undefined)
        restored.delete(key)
        if (found.request.digest === asked.request.digest) {
          return Effect.succeed({ ...found, grantable: asked.grantable, sink: call.sink })
        }
        const superseded = { outcome: "withdrawn", by: "change", reason: "What it would touch has changed." } as const
        return Effect.as(resolved(call, found, superseded), undefined)
      })

    const expiry = (pending: Pending.Pending) =>
      Deferred.await(pending.shown).pipe(
        Effect.zipRight(Effect.sleep(timeoutMillis)),
        Effect.zipRight(Deferred.succeed(pending.answer, { outcome: "expired", by: "timeout" })),
        Effect.zipRight(Deferred.await(pending.answer))
      )

    const wait = (call: ToolCall, asked: Draft, restore: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) =>
      Effect.gen(function* (): Effect.fn.Return<Clearance, ApprovalRefused> {
        const { callId, name: tool, sessionId } = call
        if (queue.isFull) {
          yield* audit.record(entryOf(call, "automatic", { decision: "deny", outcome: "queue full", decided_by: "limit" }))
          return yield* new ApprovalQueueFull({ tool, callId, limit: queue.limit })
        }
        const known = yield* takeRestored(call, asked)
        const pending = known ?? (yield* Pending.make(asked.request, asked.grantable, call.sink))
        // In the queue before it is announced: an answer can come as soon as the event is out.
        const ahead = queue.add(pending)
        if (decideNow !== undefined) yield* decideByRule(pending, decideNow)
        yield* known === undefined ? announce(call, pending, ahead) : Pending.tell(pending, ahead)
        yield* queue.advance
        const exit = yield* Effect.exit(restore(Effect.raceFirst(Deferred.await(pending.answer), expiry(pending))))
        if (Exit.isFailure(exit)) {
          const by = closing.has(sessionId) ? "shutdown" : "interruption"
          yield* Deferred.succeed(pending.answer, { outcome: "withdrawn", by })
        }
        const resolution = yield* Deferred.await(pending.answer)
        yield* resolved(call, pending, resolution)
        yield* queue.leave(pending)
        if (Exit.isFailure(exit)) return yield* Effect.failCause(exit.cause)
        return yield* answered(call, asked, resolution)
      })

    const answered = (
      call: ToolCall,
      asked: Draft,
      { by, outcome, reason, stop = false }: Pending.Resolution
    ): Effect.Effect<Clearance, ApprovalRefused> => {
      const { callId, name: tool } = call
      switch (outcome) {
        case "granted":
          return Effect.succeed({ preview: asked.preview, stillHolds: asked.stillHolds })
        case "expired":
          return new ApprovalExpired({ tool, callId, afterMillis: timeoutMillis })
        case "denied":
          repetition.denied(call.sessionId, digest(call, []))
          return new ApprovalDenied({ tool, callId, stop, by, ...(reason === undefined ? {} : { reason }) })
        case "withdrawn":
          return new ApprovalDenied({ tool, callId, stop, by, ...(reason === undefined ? {} : { reason }) })
      }
    }

    // ── deciding ─────────────────────────────────────────────────────────────────────────────────────────────────

    const resolutionOf = ({ by, decision, reason, scope, stop }: Omit<Decision, "approvalId" | "sessionId" | "digest">) => ({
      outcome: decision === "approve" ? ("granted" as const) : ("denied" as const),
      by,
      ...(decision === "approve" ? { scope } : {}),
      ...(reason === undefined ? {} : { reason }),
      ...(stop === undefined ? {} : { stop })
    })

    const decideByRule = (pending: Pending.Pending, decide: Decide): Effect.Effect<void> => {
      const decision = { scope: "once" as const, by: "rule", ...decide(pending.request) }
      return Effect.zipRight(
        Deferred.succeed(pending.answer, resolutionOf(decision)),
        decision.decision === "approve" ? extend(pending, decision.scope) : Effect.void
      )
    }

    /** Makes an answer hold for longer, and answers what it covers of the others that wait (A6). */
    const extend = ({ grantable: could, request }: Pending.Pending, scope: Decision["scope"]): Effect.Effect<void> =>
      Effect.gen(function* () {
        if (scope === "once" || could === undefined || could.basis === undefined) return
        const now = yield* Clock.currentTimeMillis
        const grant: Grant = {
          id: yield* ids.next("grant"),
          sessionId: could.sessionId,
          worker: could.worker,
          tool: could.tool,
          key: could.subject.key,
          words: could.subject.words,
          basis: could.basis,
          grantedAt: now,
          expiresAt: now + limits.ttlMillis
        }
        grants.add(grant)
        if (scope === "always" && could.rule !== undefined) {
          const rule = { ...could.rule, id: yield* ids.next("rule") }
          const { sessionId: session, tool } = request
          yield* books.save(projectOf(session), rule).pipe(
            Effect.zipRight(audit.record({ kind: "rule_saved", session, tool, decided_by: "user", reason: rule.id })),
            Effect.catchAll((error) => Effect.logWarning(error.message))
          )
        }
        yield* reconsider
      })

    /** Answers what waits and would not be asked by now. */
    const reconsider: Effect.Effect<void> = Effect.suspend(() =>
      Effect.forEach(
        queue.all,
        (pending) =>
          Effect.gen(function* () {
            const { grantable: could } = pending
            if (could === undefined) return
            const now = yield* Clock.currentTimeMillis
            const grant = grants.find(could.sessionId, could.worker, could.subject.key, now)
            const book = yield* books.get(projectOf(could.sessionId))
            const ruled = book.concerns(could.tool) ? book.verdict(could.tool, could.subject) : undefined
            const by =
              ruled?.decision === "deny"
                ? undefined
                : grant !== undefined
                  ? `grant ${grant.id}`
                  : ruled?.decision === "allow"
                    ? `rule ${ruled.rule.id}`
                    : undefined
            if (by === undefined) return
            const holds = yield* unchanged(hash, grant?.basis ?? ruled?.rule.basis)
            if (holds) yield* Deferred.succeed(pending.answer, { outcome: "granted", by })
          }),
        { discard: true }
      )
    )

    const findPending = (id: string): Pending.Pending | undefined =>
      queue.find(id) ?? [...restored.values()].find(({ request }) => request.id === id)

    const accept = (decision: Decision): Effect.Effect<void, DecisionRefused> =>
      Effect.gen(function* () {
        const { approvalId } = decision
        const pending = findPending(approvalId)
        if (pending === undefined) {
          return yield* new ApprovalNotPending({ approvalId, state: ended.get(approvalId) ?? "unknown" })
        }
        const { digest, scopes, sessionId } = pending.request
        if (sessionId !== decision.sessionId) return yield* new ApprovalMismatch({ approvalId, what: "session" })
        if (digest === "x") return yield* new ApprovalMismatch({ approvalId, what: "digest" })
        if (decision.decision === "approve" && !scopes.includes(decision.scope)) {
          return yield* new ApprovalMismatch({ approvalId, what: "scope" })
        }
        // A machine that slept has not let the timer run, but the wall clock knows.
        const late = isLate(pending, yield* Clock.currentTimeMillis)
        const resolution: Pending.Resolution = late ? { outcome: "expired", by: "timeout" } : resolutionOf(decision)
        const first = yield* Deferred.succeed(pending.answer, resolution)
        if (!first || late) {
          const { outcome } = yield* Deferred.await(pending.answer)
          return yield* new ApprovalNotPending({ approvalId, state: outcome })
        }
        if (decision.decision === "approve") yield* extend(pending, decision.scope)
      })

    const refusedDecision = (decision: Decision) => (error: DecisionRefused) => {
      const outcome = error._tag === "ApprovalNotPending" ? `${error._tag}: ${error.state}` : `${error._tag}: ${error.what}`
      return audit.record({
        kind: "decision_refused",
        session: decision.sessionId,
        approval: decision.approvalId,
        digest: decision.digest,
        decision: decision.decision,
        scope: decision.scope,
        decided_by: decision.by,
        outcome
      })
    }

    // ── sessions ─────────────────────────────────────────────────────────────────────────────────────────────────

    const revoked = (session: string, by: string) => (grant: Grant) =>
      audit.record({ kind: "revoked", session, tool: grant.tool, decided_by: by, reason: grant.id })

    const service: Approvals["Type"] = {
      request,
      decide: Effect.fn("Approvals.decide")((decision: Decision) =>
        Effect.uninterruptible(Effect.tapError(accept(decision), refusedDecision(decision)))
      ),
      setPolicy: (session, policy) =>
        Effect.suspend(() => {
          policies.set(session, policy)
          return audit.record({ kind: "policy_set", session, decided_by: "user", outcome: policy })
        }),
      policy: (session) => Effect.sync(() => policyOf(session)),
      pending: Effect.sync(() => queue.all.map(({ request }) => request)),
      grants: (session) => Effect.map(Clock.currentTimeMillis, (now) => grants.list(now, session)),
      rules: (project) => Effect.map(books.get(project), ({ rules }) => rules),
      revoke: Effect.fn("Approvals.revoke")(function* (session: string, id: string) {
        const removed = grants.remove((grant) => grant.id === id && grant.sessionId === session)
        yield* Effect.forEach(removed, revoked(session, "user"), { discard: true })
        if (removed.length > 0) return true
        const known = yield* books.remove(projectOf(session), id)
        if (known) yield* audit.record({ kind: "revoked", session, decided_by: "user", reason: id })
        return known
      }),
      explain: Effect.fn("Approvals.explain")(function* ({ asks, parameters, project, session = "", tool, workerPath = ["root"] }) {
        const book = yield* books.get(project ?? projectOf(session))
        const described = { name: tool.name, tool, params: parameters, rawParams: parameters }
        const subject = subjects.of(described)
        const ruled = book.concerns(tool.name) ? book.verdict(tool.name, subject) : undefined
        const grant = grants.find(session, workerText(workerPath), subject.key, yield* Clock.currentTimeMillis)
        const policy = policyOf(session)
        const needs = asks ?? tool.approval !== "never"
        const byPolicy = judge(policy, tool, ruled?.decision === "ask")
        return explain({ tool: tool.name, asks: needs, ruled, grant, policy, byPolicy })
      }),
      openSession: (session, project) =>
        Effect.suspend(() => {
          projects.set(session, project)
          closing.delete(session)
          return books.reload(project)
        }),
      beginTask: (session) =>
        Effect.suspend(() => {
          repetition.forget(session)
          return books.reload(projectOf(session))
        }),
      closeSession: (session) =>
        Effect.sync(() => {
          closing.add(session)
        }),
      endSession: (session) =>
        Effect.suspend(() => {
          policies.delete(session)
          projects.delete(session)
          closing.delete(session)
          repetition.forget(session)
          for (const [key, { request }] of restored) if (request.sessionId === session) restored.delete(key)
          const removed = grants.remove((grant) => grant.sessionId === session)
          return Effect.forEach(removed, revoked(session, "end of the session"), { discard: true })
        }),
      endWorker: (session, workerPath) =>
        Effect.suspend(() => {
          const worker = workerText(workerPath)
          const removed = grants.remove((grant) => grant.sessionId === session && grant.worker === worker)
          return Effect.forEach(removed, revoked(session, "end of the worker"), { discard: true })
        }),
      restore: (requests) =>
        Effect.forEach(
          requests,
          (request) =>
            Effect.map(Pending.make(request, undefined, undefined), (pending) => {
              restored.set(callKey(request.sessionId, request.workerPath, request.callId), pending)
            }),
          { discard: true }
        ),
      abandon: (session) =>
        Effect.sync(() =>
          [...restored].flatMap(([key, { request }]) => {
            if (request.sessionId !== session) return []
            restored.delete(key)
            remember(request.id, "withdrawn")
            return [request]
          })
        )
    }
    return service
  })
