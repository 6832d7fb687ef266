import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { ApprovalRequest, Scope } from "../tool/ApprovalRequest.ts"
import { Ids } from "../tool/Ids.ts"
import type { Preview } from "../tool/Preview.ts"
import type { ToolCall } from "../tool/ToolCall.ts"
import { ApprovalRequested, ApprovalResolved, trusted } from "../tool/ToolEvent.ts"
import {
  ApprovalDenied,
  ApprovalExpired,
  ApprovalMismatch,
  ApprovalNotPending,
  ApprovalUnavailable,
  type ApprovalRefused
} from "./ApprovalError.ts"
import { judge, type ApprovalPolicy } from "./ApprovalPolicy.ts"
import { digest } from "./Digest.ts"

/** An answer; it must repeat the digest of the request it answers. */
export interface Decision {
  readonly approvalId: string
  readonly sessionId: string
  readonly digest: string
  readonly decision: "approve" | "deny"
  readonly scope: Scope
  readonly reason?: string
  /** A denial that ends the task as well. */
  readonly stop?: boolean
  readonly by: string
}

interface Pending {
  readonly request: ApprovalRequest
  readonly answer: Deferred.Deferred<Decision>
  readonly shown: Deferred.Deferred<void>
}

export interface ApprovalsOptions {
  readonly policy: ApprovalPolicy
  /** How long a person has once the request is shown; 30 seconds where absent (A8). */
  readonly timeout?: Duration.DurationInput
}

/** Who decides on calls. State is kept here alone: nothing that a client posts is evidence of a decision. */
export class Approvals extends Context.Tag("tollgate/approval/Approvals")<
  Approvals,
  {
    /** Suspends until the call is decided; interrupting it withdraws the request. */
    readonly request: (call: ToolCall, preview: Preview | undefined) => Effect.Effect<void, ApprovalRefused>
    /** Answers an open request, once. */
    readonly decide: (decision: Decision) => Effect.Effect<void, ApprovalNotPending | ApprovalMismatch>
    readonly setPolicy: (session: string, policy: ApprovalPolicy) => Effect.Effect<void>
    readonly policy: (session: string) => Effect.Effect<ApprovalPolicy>
    /** The open requests; the first is the one that is shown. */
    readonly pending: Effect.Effect<ReadonlyArray<ApprovalRequest>>
    /** Forgets what belongs to the session alone. */
    readonly endSession: (session: string) => Effect.Effect<void>
  }
>() {
  static readonly layer = (options: ApprovalsOptions): Layer.Layer<Approvals> => Layer.effect(Approvals, make(options))

  /** Decides by rule without asking anyone, e.g. in tests. */
  static readonly layerDecide = (
    decide: (
      request: ApprovalRequest
    ) => Pick<Decision, "decision"> & Partial<Pick<Decision, "scope" | "reason" | "stop">>
  ): Layer.Layer<Approvals> =>
    Layer.effect(
      Approvals,
      make({ policy: "ask" }, (request) => ({
        approvalId: request.id,
        sessionId: request.sessionId,
        digest: request.digest,
        scope: "once",
        by: "rule",
        ...decide(request)
      }))
    )
}

const make = (options: ApprovalsOptions, decideNow?: (request: ApprovalRequest) => Decision) =>
  Effect.gen(function* () {
    const ids = yield* Ids
    const timeout = Duration.decode(options.timeout ?? "30 seconds")
    const timeoutMillis = Duration.toMillis(timeout)
    const policies = new Map<string, ApprovalPolicy>()
    let queue: ReadonlyArray<Pending> = []

    const showFirst = Effect.suspend(() => {
      const first = queue[0]
      return first === undefined ? Effect.void : Deferred.succeed(first.shown, undefined)
    })
    const leave = (pending: Pending) =>
      Effect.suspend(() => {
        queue = queue.filter((other) => other !== pending)
        return showFirst
      })

    const resolved = (
      call: ToolCall,
      request: ApprovalRequest,
      result: Pick<ApprovalResolved, "outcome" | "by"> & Partial<Pick<ApprovalResolved, "scope" | "reason">>
    ) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        call.sink.emit(
          new ApprovalResolved(
            {
              callId: call.callId,
              tool: call.name,
              approvalId: request.id,
              waitedMillis: now - request.requestedAt,
              ...result
            },
            trusted
          )
        )
      )

    const concluded = (
      call: ToolCall,
      request: ApprovalRequest,
      answer: Option.Option<Decision>
    ): Effect.Effect<void, ApprovalDenied | ApprovalExpired> =>
      Option.match(answer, {
        onNone: (): Effect.Effect<void, ApprovalDenied | ApprovalExpired> =>
          Effect.zipRight(
            resolved(call, request, { outcome: "expired", by: "timeout" }),
            new ApprovalExpired({ tool: call.name, callId: call.callId, afterMillis: timeoutMillis })
          ),
        onSome: ({ by, decision, reason, scope, stop = false }) => {
          const told = { by, ...(reason === undefined ? {} : { reason }) }
          return decision === "approve"
            ? resolved(call, request, { outcome: "granted", scope, ...told })
            : Effect.zipRight(
                resolved(call, request, { outcome: "denied", ...told }),
                new ApprovalDenied({ tool: call.name, callId: call.callId, stop, ...told })
              )
        }
      })

    const ask = (call: ToolCall, preview: Preview | undefined) =>
      Effect.gen(function* () {
        const request: ApprovalRequest = {
          id: yield* ids.next("approval"),
          callId: call.callId,
          sessionId: call.sessionId,
          tool: call.name,
          workerPath: call.workerPath,
          risk: call.tool.risk,
          digest: digest(call, preview?.targets ?? []),
          arguments: call.rawParams,
          message: preview?.summary ?? call.tool.description,
          ...(preview === undefined ? {} : { preview }),
          scopes: ["once"],
          requestedAt: yield* Clock.currentTimeMillis,
          timeoutMillis
        }
        const pending: Pending = {
          request,
          answer: yield* Deferred.make<Decision>(),
          shown: yield* Deferred.make<void>()
        }
        // Registered before it is announced: an answer can come as soon as the event is out.
        const announced = Effect.suspend(() => {
          queue = [...queue, pending]
          const decision = decideNow?.(request)
          if (decision !== undefined) Deferred.unsafeDone(pending.answer, Exit.succeed(decision))
          return Effect.zipRight(
            call.sink.emit(new ApprovalRequested({ request, ahead: queue.length - 1 }, trusted)),
            showFirst
          )
        })
        const answered = Effect.raceFirst(
          Effect.asSome(Deferred.await(pending.answer)),
          Effect.as(Effect.zipRight(Deferred.await(pending.shown), Effect.sleep(timeout)), Option.none<Decision>())
        )
        yield* Effect.uninterruptibleMask((restore) =>
          Effect.zipRight(announced, restore(answered)).pipe(
            Effect.onExit(() => leave(pending)),
            Effect.onInterrupt(() => resolved(call, request, { outcome: "withdrawn", by: "interruption" })),
            Effect.flatMap((answer) => concluded(call, request, answer))
          )
        )
      })

    const policyOf = (session: string) => policies.get(session) ?? options.policy
    const denied = (call: ToolCall, by: string) =>
      new ApprovalDenied({ tool: call.name, callId: call.callId, by, stop: false })

    return Approvals.of({
      request: (call, preview) =>
        Effect.suspend((): Effect.Effect<void, ApprovalRefused> => {
          switch (judge(policyOf(call.sessionId), call)) {
            case "allow":
              return Effect.void
            case "deny":
              return denied(call, "policy")
            case "fail":
              return new ApprovalUnavailable({ tool: call.name, callId: call.callId })
            case "ask":
              return ask(call, preview)
          }
        }),
      decide: (decision) =>
        Effect.suspend((): Effect.Effect<void, ApprovalNotPending | ApprovalMismatch> => {
          const { approvalId } = decision
          const pending = queue.find(({ request }) => request.id === approvalId)
          if (pending === undefined) return new ApprovalNotPending({ approvalId })
          if (pending.request.sessionId !== decision.sessionId) {
            return new ApprovalMismatch({ approvalId, what: "session" })
          }
          if (pending.request.digest !== decision.digest) return new ApprovalMismatch({ approvalId, what: "digest" })
          return Effect.flatMap(Deferred.succeed(pending.answer, decision), (first) =>
            first ? Effect.void : new ApprovalNotPending({ approvalId })
          )
        }),
      setPolicy: (session, policy) => Effect.sync(() => void policies.set(session, policy)),
      policy: (session) => Effect.sync(() => policyOf(session)),
      pending: Effect.sync(() => queue.map(({ request }) => request)),
      endSession: (session) => Effect.sync(() => void policies.delete(session))
    })
  })
