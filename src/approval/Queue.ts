import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { ApprovalRequest } from "../tool/ApprovalRequest.ts"
import type * as Tool from "../tool/Tool.ts"
import type { ToolSink } from "../tool/ToolCall.ts"
import { ApprovalMoved, trusted } from "../tool/ToolEvent.ts"
import type { ApprovalNotPending } from "./ApprovalError.ts"
import type { Resolution } from "./Decision.ts"
import type { Grantable } from "./Grants.ts"
import type { Unmasked } from "./Request.ts"

/** A request outlives this runtime and can no longer be decided here. */
export class Suspended extends Data.TaggedError("Suspended") {}

/** A waiting request. The first to complete `answer` decides it; later answers are rejected. */
export interface Pending {
  readonly request: ApprovalRequest
  /** Milliseconds of the deadline clock. */
  readonly askedAt: number
  readonly answer: Deferred.Deferred<Resolution, Suspended>
  readonly shown: Deferred.Deferred<void>
  /** What an answer could cover besides this call; unset for a stored request without a call. */
  readonly grantable: Grantable | undefined
  readonly sink: ToolSink | undefined
  /** The tool that would run; unset for a stored request without a call. */
  readonly tool: Tool.Any | undefined
  /** What the request masks; kept in memory alone. */
  readonly unmasked: Unmasked | undefined
  /** Milliseconds of the deadline clock; unset until it is first in the queue. */
  shownAt: number | undefined
  /** The position that was last told. */
  told: number
}

export const pending = (
  request: ApprovalRequest,
  grantable: Grantable | undefined,
  sink: ToolSink | undefined,
  askedAt: number,
  unmasked?: Unmasked,
  tool?: Tool.Any
): Effect.Effect<Pending> =>
  Effect.zipWith(Deferred.make<Resolution, Suspended>(), Deferred.make<void>(), (answer, shown) => ({
    request,
    askedAt,
    answer,
    shown,
    grantable,
    sink,
    tool,
    unmasked,
    shownAt: undefined,
    told: 0
  }))

/** The position in the queue as an event. */
export const tell = (pending: Pending, ahead: number): Effect.Effect<void> =>
  Effect.suspend(() => {
    pending.told = ahead
    const { callId, id, tool } = pending.request
    return pending.sink === undefined
      ? Effect.void
      : pending.sink.emit(new ApprovalMoved({ approvalId: id, callId, tool, ahead }, trusted))
  })

/** The requests of all sessions of one audience, one after the other in front of one person. */
export class ApprovalQueue {
  private waiting: ReadonlyArray<Pending> = []
  private readonly now: Effect.Effect<number>

  constructor(now: Effect.Effect<number>) {
    this.now = now
  }

  get all(): ReadonlyArray<Pending> {
    return this.waiting
  }

  /** Gives how many are before it. */
  add(pending: Pending): number {
    const ahead = this.waiting.length
    pending.told = ahead
    this.waiting = [...this.waiting, pending]
    return ahead
  }

  leave(pending: Pending): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.waiting = this.waiting.filter((other) => other !== pending)
      return this.advance
    })
  }

  /** Shows the first and tells the others where they are now. */
  readonly advance: Effect.Effect<void> = Effect.suspend(() => {
    const first = this.waiting[0]
    const show = (pending: Pending) =>
      Effect.flatMap(this.now, (now) => {
        pending.shownAt = now
        return Deferred.succeed(pending.shown, undefined)
      })
    return Effect.zipRight(
      first === undefined || first.shownAt !== undefined ? Effect.void : show(first),
      Effect.forEach(this.waiting, (pending, ahead) => (pending.told === ahead ? Effect.void : tell(pending, ahead)), {
        discard: true
      })
    )
  })
}

/** One queue for each audience: no one waits for the answers of others. */
export class Audiences {
  private readonly queues = new Map<string, ApprovalQueue>()
  private readonly now: Effect.Effect<number>

  constructor(now: Effect.Effect<number>) {
    this.now = now
  }

  /** The open requests, the shown one of each audience before those that wait behind it. */
  get all(): ReadonlyArray<Pending> {
    return [...this.queues.values()].flatMap(({ all }) => all)
  }

  of(audience: string): ApprovalQueue {
    let queue = this.queues.get(audience)
    if (queue === undefined) this.queues.set(audience, (queue = new ApprovalQueue(this.now)))
    return queue
  }

  find(id: string): Pending | undefined {
    return this.all.find(({ request }) => request.id === id)
  }

  /** A request is over; a queue without any is forgotten. */
  leave(audience: string, pending: Pending): Effect.Effect<void> {
    const queue = this.of(audience)
    return Effect.map(queue.leave(pending), () => {
      if (queue.all.length === 0) this.queues.delete(audience)
    })
  }
}

type EndState = ApprovalNotPending["state"]

/** Ended requests that are still told from those that never were. */
const maxEnded = 1000

/** How requests ended that wait no more; the oldest are forgotten. */
export class EndedRequests {
  private readonly ended = new Map<string, EndState>()

  add(approvalId: string, state: EndState): void {
    this.ended.set(approvalId, state)
    for (const oldest of this.ended.keys()) {
      if (this.ended.size <= maxEnded) break
      this.ended.delete(oldest)
    }
  }

  stateOf(approvalId: string): EndState {
    return this.ended.get(approvalId) ?? "unknown"
  }
}
