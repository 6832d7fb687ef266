import type * as Effect from "effect/Effect"
import type { ToolEvent } from "../tool/ToolEvent.ts"
import type { AgentEvent } from "./AgentEvent.ts"

/** Where a worker tells what happens; it is mute once its task has ended. */
export interface WorkerSink {
  readonly emit: (event: AgentEvent | ToolEvent, iteration: number) => Effect.Effect<void>
  /** Several durable events at once. */
  readonly emitAll: (events: ReadonlyArray<AgentEvent | ToolEvent>, iteration: number) => Effect.Effect<void>
  /** Returns once the event is durable. */
  readonly commit: (event: ToolEvent, iteration: number) => Effect.Effect<void>
}
