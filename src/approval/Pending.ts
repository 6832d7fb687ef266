import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { ApprovalOutcome, ApprovalRequest, Scope } from "../tool/ApprovalRequest.ts"
import type { ToolSink } from "../tool/ToolCall.ts"
import { ApprovalMoved, trusted } from "../tool/ToolEvent.ts"
import type { Grantable } from "./Grantable.ts"
import type { Unmasked } from "./requestOf.ts"

/** How a request ended and by whom. */
export interface Resolution {
  readonly outcome: ApprovalOutcome
  readonly by: string
  readonly scope?: Scope
  readonly reason?: string
  /** A denial that ends the task as well. */
  readonly stop?: boolean
}

/** A request outlives the runtime that asked, so that nobody decides it here any more. */
export class Suspended extends Data.TaggedError("Suspended") {}

/** A request that waits. Whoever completes `answer` first has decided it; everybody else is late. */
export interface Pending {
  readonly request: ApprovalRequest
  /** Milliseconds of the deadline clock. */
  readonly askedAt: number
  readonly answer: Deferred.Deferred<Resolution, Suspended>
  readonly shown: Deferred.Deferred<void>
  /** What more than this call an answer could cover; absent on one that was stored and has no call yet. */
  readonly grantable: Grantable | undefined
  readonly sink: ToolSink | undefined
  /** What the request masks; kept in memory alone. */
  readonly unmasked: Unmasked | undefined
  /** Milliseconds of the deadline clock; absent until it is the first. */
  shownAt: number | undefined
  /** The position that was last told. */
  told: number
}

export const make = (
  request: ApprovalRequest,
  grantable: Grantable | undefined,
  sink: ToolSink | undefined,
  askedAt: number,
  unmasked?: Unmasked
): Effect.Effect<Pending> =>
  Effect.zipWith(Deferred.make<Resolution, Suspended>(), Deferred.make<void>(), (answer, shown) => ({
    request,
    askedAt,
    answer,
    shown,
    grantable,
    sink,
    unmasked,
    shownAt: undefined,
    told: 0
  }))

/** The requests of all sessions, one after the other in front of one person (A8). */
export class ApprovalQueue {
  private waiting: ReadonlyArray<Pending> = []
  readonly limit: number

  private readonly now: Effect.Effect<number>

  constructor(limit: number, now: Effect.Effect<number>) {
    this.limit = limit
    this.now = now
  }

  get all(): ReadonlyArray<Pending> {
    return this.waiting
  }

  get isFull(): boolean {
    return this.waiting.length >= this.limit
  }

  /** Gives how many are before it. */
  add(pending: Pending): number {
    const ahead = this.waiting.length
    pending.told = ahead
    this.waiting = [...this.waiting, pending]
    return ahead
  }

  find(id: string): Pending | undefined {
    return this.waiting.find(({ request }) => request.id === id)
  }

  /** Shows the first and tells the others where they are now. */
  readonly advance: Effect.Effect<void> = Effect.suspend(() => {
    const first = this.waiting[0]
    return Effect.zipRight(
      first === undefined || first.shownAt !== undefined ? Effect.void : this.show(first),
      Effect.forEach(this.waiting, (pending, ahead) => (pending.told === ahead ? Effect.void : tell(pending, ahead)), {
        discard: true
      })
    )
  })

  private show(pending: Pending): Effect.Effect<void> {
    return Effect.flatMap(this.now, (now) => {
      pending.shownAt = now
      return Deferred.succeed(pending.shown, undefined)
    })
  }

  leave(pending: Pending): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.waiting = this.waiting.filter((other) => other !== pending)
      return this.advance
    })
  }
}

/** The position in the queue as an event. */
export const tell = (pending: Pending, ahead: number): Effect.Effect<void> =>
  Effect.suspend(() => {
    pending.told = ahead
    const { callId, id, tool } = pending.request
    return pending.sink === undefined
      ? Effect.void
      : pending.sink.emit(new ApprovalMoved({ approvalId: id, callId, tool, ahead }, trusted))
  })
