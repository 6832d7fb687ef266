import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ToolCall } from "../tool/ToolCall.ts"

/** A sub-worker was not started, or ended without a result. */
export class DelegationFailed extends Schema.TaggedError<DelegationFailed>()("DelegationFailed", {
  /** Unset if none was started. */
  worker: Schema.optionalWith(Schema.String, { exact: true }),
  reason: Schema.String,
  /** The reason ends the whole task. */
  stop: Schema.optionalWith(Schema.Boolean, { exact: true }),
  /** The user has ended this worker alone. */
  interrupted: Schema.optionalWith(Schema.Boolean, { exact: true })
}) {
  override get message() {
    if (this.stop === true) return this.reason
    if (this.interrupted === true) return `Worker ${this.worker} was interrupted: ${this.reason}`
    return this.worker === undefined
      ? `No worker was started: ${this.reason}`
      : `Worker ${this.worker} ended without a result: ${this.reason}`
  }
}

export interface DelegationRequest {
  /** The call that delegates; its worker is the parent of the new one. */
  readonly call: ToolCall
  readonly task: string
  /** What the worker is called. Default: the name of the named worker, or a number. */
  readonly name?: string
  /** The named worker to start. */
  readonly worker?: string
}

/** The final text of a sub-worker, or what it needs to know. */
export const DelegationResult = Schema.Struct({ status: Schema.Literal("done", "question"), text: Schema.String })
export type DelegationResult = typeof DelegationResult.Type

/** The name of the tool by which a worker delegates; a worker that may not does not see it. */
export const delegateTool = "delegate"

/** Runs sub-workers for the calls of a task; a call outside of one gets none. */
export class Delegation extends Context.Reference<Delegation>()("tollgate/agent/Delegation", {
  defaultValue: (): {
    readonly delegate: (request: DelegationRequest) => Effect.Effect<DelegationResult, DelegationFailed>
  } => ({
    delegate: () =>
      new DelegationFailed({ reason: "the call is not part of a task. Send the task to the agent as a prompt." })
  })
}) {}
