import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { delegateTool, Delegation, DelegationFailed, DelegationResult } from "../agent/Delegation.ts"
import * as Tool from "../tool/Tool.ts"
import { optional } from "./Parameter.ts"

const maxTask = 32_000

/** Has no deadline of its own: those of its worker's calls and the number of its requests bound it. */
export const Delegate = Tool.make(delegateTool, {
  description:
    "Gives a task to a worker that has your tools but sees nothing of this conversation: include everything it needs. " +
    "Only its final text comes back. If its status is question, it lacks information: call again with a clearer task, " +
    "or, if you do not know it either, ask whoever gave you your task. Adjacent calls in one answer run side by side: " +
    "give them tasks that do not touch the same files. A worker sees the results of those that had ended before it began.",
  label: "Delegate",
  category: "agent",
  risk: "low",
  touches: "none",
  approval: "never",
  concurrent: true,
  timeout: 0,
  idleTimeout: 0,
  parameters: Schema.Struct({
    task: Schema.String.pipe(Schema.minLength(1), Schema.maxLength(maxTask)).annotations({
      description: "What to do, what the worker needs to know, and what to return."
    }),
    name: optional(Schema.String.pipe(Schema.maxLength(100)), "A short name for the worker. Default: W1, W2, …"),
    worker: optional(Schema.String.pipe(Schema.maxLength(100)), "The configured worker to start.")
  }),
  success: DelegationResult,
  failure: DelegationFailed,
  handler: (request, call) => Effect.flatMap(Delegation, ({ delegate }) => delegate({ ...request, call }))
})
