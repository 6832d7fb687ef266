import type * as Effect from "effect/Effect"
import type { Change } from "../conversation/Change.ts"
import type { ToolEvent } from "../tool/ToolEvent.ts"
import type { AgentEvent, WorkerEnded, WorkerStarted } from "./AgentEvent.ts"

/** Where a worker tells what happens; it is mute once its task has ended. */
export interface WorkerSink {
  readonly task: string
  readonly emit: (event: AgentEvent | ToolEvent, iteration: number) => Effect.Effect<void>
  /** Several durable events at once. */
  readonly emitAll: (events: ReadonlyArray<AgentEvent | ToolEvent>, iteration: number) => Effect.Effect<void>
  /** Where it tells of a request for a summary, which is no part of its conversation. */
  readonly compaction: () => WorkerSink
  /** Returns once the event is durable. */
  readonly commit: (event: ToolEvent, iteration: number) => Effect.Effect<void>
}

/** Where a sub-worker tells what happens, from its start to its end and at no other time. */
export interface SubWorkerSink extends WorkerSink {
  /** Runs `stop`, which must not throw, as soon as somebody ends this worker alone. */
  readonly whenCancelled: (stop: () => void) => void
  /** False, and nothing is told, where the call that starts it has ended. */
  readonly begin: (event: WorkerStarted) => Effect.Effect<boolean>
  /** Ends those below first, and gives every call that has no result one. */
  readonly end: (event: WorkerEnded) => Effect.Effect<void>
}

/** Makes the sink of a sub-worker, or that of one that was taken up again; `record` gets every change of its conversation. */
export type OpenSink = (path: ReadonlyArray<string>, record: (change: Change) => void) => SubWorkerSink
