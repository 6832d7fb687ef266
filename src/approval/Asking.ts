import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { ToolCall } from "../tool/ToolCall.ts"
import { ApprovalRequested, ApprovalResolved, trusted } from "../tool/ToolEvent.ts"
import { ApprovalDenied, ApprovalExpired, ApprovalQueueFull, type ApprovalRefused } from "./ApprovalError.ts"
import type { Clearance } from "./Approvals.ts"
import { callKey, type DeskState, entryOf } from "./DeskState.ts"
import type { Draft } from "./Draft.ts"
import * as Pending from "./Pending.ts"
import { likeness } from "./Subject.ts"

/** How a call waits for its decision; `atOnce` may decide it before anybody sees it. */
export interface Asking {
  readonly ask: (call: ToolCall, asked: Draft) => Effect.Effect<Clearance, ApprovalRefused>
}

/** What more than the call an answer can cover; nothing where the call repeats those before it, nor does a grant cover that. */
const covers = ({ repeats }: ToolCall, { grantable }: Draft) => (repeats === undefined ? grantable : undefined)

type Restore = <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export const make = (state: DeskState, atOnce: (pending: Pending.Pending) => Effect.Effect<void>): Asking => {
  const { audit, queue, remember, sessions, timeoutMillis } = state

  const resolved = (call: ToolCall, { askedAt, request }: Pending.Pending, resolution: Pending.Resolution) =>
    Effect.flatMap(state.now, (now) => {
      const { by, outcome, reason, scope } = resolution
      const waitedMillis = Math.max(0, now - askedAt)
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

  const announce = (call: ToolCall, { request }: Pending.Pending, ahead: number) =>
    Effect.zipRight(
      audit.record(
        entryOf(call, "requested", { approval: request.id, digest: request.digest, arguments: call.rawParams })
      ),
      call.sink.emit(new ApprovalRequested({ request, ahead }, trusted))
    )

  /** The stored request of this very call, if it is still the same; one that is not is withdrawn. */
  const takeRestored = (call: ToolCall, asked: Draft): Effect.Effect<Pending.Pending | undefined> =>
    Effect.suspend(() => {
      const { restored } = sessions.of(call.sessionId)
      const found = restored.get(callKey(call))
      if (found === undefined) return Effect.succeed(undefined)
      restored.delete(callKey(call))
      if (found.request.digest === asked.request.digest) {
        return Effect.succeed({ ...found, grantable: covers(call, asked), sink: call.sink, unmasked: asked.unmasked })
      }
      const superseded = { outcome: "withdrawn", by: "change", reason: "What it would touch has changed." } as const
      return Effect.as(resolved(call, found, superseded), undefined)
    })

  const expiry = ({ answer, shown }: Pending.Pending) =>
    Deferred.await(shown).pipe(
      Effect.zipRight(Effect.sleep(timeoutMillis)),
      Effect.zipRight(Deferred.succeed(answer, { outcome: "expired", by: "timeout" })),
      Effect.zipRight(Deferred.await(answer))
    )

  const answered = (
    call: ToolCall,
    { grantable, preview, stillHolds }: Draft,
    { by, outcome, reason, stop = false }: Pending.Resolution
  ): Effect.Effect<Clearance, ApprovalRefused> => {
    const { callId, name: tool } = call
    switch (outcome) {
      case "granted":
        return Effect.succeed({ preview, stillHolds })
      case "expired":
        return new ApprovalExpired({ tool, callId, afterMillis: timeoutMillis })
      case "denied":
      case "withdrawn":
        if (outcome === "denied") sessions.of(call.sessionId).denied(likeness(call, grantable.subject))
        return new ApprovalDenied({ tool, callId, stop, by, ...(reason === undefined ? {} : { reason }) })
    }
  }

  const wait = (call: ToolCall, asked: Draft, restore: Restore) =>
    Effect.gen(function* (): Effect.fn.Return<Clearance, ApprovalRefused> {
      const { callId, name: tool, sessionId } = call
      if (queue.isFull) {
        const why = {
          decision: "deny",
          outcome: "queue full",
          decided_by: "limit",
          arguments: call.rawParams
        } as const
        yield* audit.record(entryOf(call, "automatic", why))
        return yield* new ApprovalQueueFull({ tool, callId, limit: queue.limit })
      }
      const known = yield* takeRestored(call, asked)
      const pending =
        known ?? (yield* Pending.make(asked.request, covers(call, asked), call.sink, yield* state.now, asked.unmasked))
      // In the queue before it is announced: an answer can come as soon as the event is out.
      const ahead = queue.add(pending)
      yield* atOnce(pending)
      yield* known === undefined ? announce(call, pending, ahead) : Pending.tell(pending, ahead)
      yield* queue.advance
      // One that outlives its runtime waits until its call is interrupted with it.
      const waited = Effect.orElse(
        Effect.raceFirst(Deferred.await(pending.answer), expiry(pending)),
        () => Effect.never
      )
      const exit = yield* Effect.exit(restore(waited))
      if (Exit.isFailure(exit)) {
        const by = sessions.of(sessionId).closing ? "shutdown" : "interruption"
        yield* Deferred.succeed(pending.answer, { outcome: "withdrawn", by })
      }
      // Whoever was first has decided, whatever ended the wait.
      const resolution = yield* Effect.option(Deferred.await(pending.answer))
      if (Option.isSome(resolution)) yield* resolved(call, pending, resolution.value)
      yield* queue.leave(pending)
      if (Exit.isFailure(exit)) return yield* Effect.failCause(exit.cause)
      return yield* answered(call, asked, exit.value)
    })

  return { ask: (call, asked) => Effect.uninterruptibleMask((restore) => wait(call, asked, restore)) }
}
