import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { afterwards } from "../middleware/afterwards.ts"
import { isolate } from "../middleware/deadline.ts"
import type { Middleware } from "../middleware/Middleware.ts"
import { named } from "../middleware/Step.ts"
import type { ProgressBoard } from "./ProgressBoard.ts"
import { heard, type ToolCall } from "./ToolCall.ts"
import type { ToolEvent } from "./ToolEvent.ts"

type Place = Pick<ToolCall, "callId" | "sessionId" | "workerPath" | "attempt">

/** Where an attempt stands on the board; a straggler of an earlier one does not take the place of the next. */
export const progressId = ({ attempt, callId, sessionId, workerPath }: Place): string =>
  `${sessionId}/${workerPath.join("/")}/${callId}${attempt === 1 ? "" : `#${attempt}`}`

export interface TrackOptions {
  /** Whether a step outside runs each attempt on a fiber of its own, as a timeout does; else this one has to. */
  readonly ownFiber: boolean
}

/**
 * Puts every attempt on the board for as long as it runs, with what the tool says of its progress; cancelling it there
 * interrupts this call and no other.
 */
export const trackProgress = (board: ProgressBoard["Type"], { ownFiber }: TrackOptions): Middleware<ToolCall> => {
  const tracked: Middleware<ToolCall> = (call, next) =>
    Effect.withFiberRuntime((fiber) => {
      const id = progressId(call)
      const hear = (event: ToolEvent) => (event._tag === "ToolProgressed" ? board.update(id, event) : undefined)
      const attempt = { ...call, sink: heard(call.sink, hear) }
      const started = board.start({ id, label: call.tool.label, cancel: Fiber.interruptFork(fiber) })
      return Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(started, () => afterwards(restore(Effect.suspend(() => next(attempt))), () => board.done(id)))
      )
    })
  return named<ToolCall>("progress", "", ownFiber ? tracked : (call, next) => isolate(tracked(call, next)))
}
