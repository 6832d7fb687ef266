import type { ModelAnswered } from "../agent/AgentEvent.ts"
import type { FunctionCall } from "../conversation/Message.ts"
import type { ModelView } from "../conversation/ModelView.ts"
import type { Edited } from "../approval/Request.ts"
import type { Usage } from "../model/ModelPart.ts"
import type { ApprovalRequest } from "../tool/ApprovalRequest.ts"
import type { WorkerPath } from "../tool/WorkerPath.ts"

/** A worker that stopped with its runtime and goes on: calls of its last answer wait for decisions, or for workers that do. */
export interface Stopped {
  readonly path: WorkerPath
  /** The call of its parent that started it; none of the root. */
  readonly callId: string | undefined
  readonly iteration: number
  /** Calls of the last answer that have no result and go on, in the model's order. */
  readonly calls: ReadonlyArray<FunctionCall>
  /** Those of them that have been requested. */
  readonly requested: ReadonlySet<string>
  /** Those of them whose workers go on. */
  readonly started: ReadonlySet<string>
  /** What a person had put in place of the parameters of calls, by their ids. */
  readonly edited: ReadonlyMap<string, Edited>
  /** The answer that asked for them; none where a person did. */
  readonly answered: ModelAnswered | undefined
  /** What its calls wait for. */
  readonly requests: ReadonlyArray<ApprovalRequest>
}

/** A sub-worker that goes on, with its conversation so far and what it and those below it have used. */
export interface StoppedSubWorker extends Stopped {
  readonly callId: string
  readonly view: ModelView
  readonly used: Usage
}

/** A task that died while calls of its workers waited for decisions, and that can go on once they come. */
export interface Continuation {
  readonly task: string
  readonly root: Stopped
  /** Those above before those below. */
  readonly below: ReadonlyArray<StoppedSubWorker>
  /** What the task has used so far. */
  readonly used: Usage
  /** The open requests of its workers, in the order of asking. */
  readonly requests: ReadonlyArray<ApprovalRequest>
  /** The paths of the sub-workers that it has had. */
  readonly taken: ReadonlyArray<WorkerPath>
}
