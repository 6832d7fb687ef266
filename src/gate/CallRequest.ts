import type * as Effect from "effect/Effect"
import type { ToolEvent } from "../tool/ToolEvent.ts"
import type { CallEvent } from "./CallEvent.ts"

/** Where all that a call tells goes. `commit` returns once the event is durable. */
export interface CallSink {
  readonly emit: (event: CallEvent) => Effect.Effect<void>
  readonly commit: (event: ToolEvent) => Effect.Effect<void>
}

interface Common {
  readonly name: string
  readonly callId: string
  readonly sessionId: string
  /** The task that the call is part of, if any. */
  readonly taskId?: string
  /** From the root worker to the one that calls. */
  readonly workerPath: ReadonlyArray<string>
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly metadata?: Readonly<Record<string, unknown>>
  /** Who asks; `model` if unset. A model cannot run a manual tool, a user cannot run one that is the model's. */
  readonly by?: "model" | "user"
  readonly sink: CallSink
}

/** What it takes to call a tool of a toolset: its parameters as data, or as the JSON text of a model. */
export type CallRequest = Common & ({ readonly rawParams: unknown } | { readonly arguments: string })
