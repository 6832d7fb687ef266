import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { WorkerOutcome } from "../agent/Worker.ts"
import { endOf } from "../middleware/endOf.ts"
import { blameOf } from "../middleware/PartCrashed.ts"
import { trusted } from "../tool/ToolEvent.ts"
import type { TerminalEvent } from "./Event.ts"
import { TaskCompleted, TaskFailed, TaskInterrupted } from "./RuntimeEvent.ts"
import type { TaskError } from "./Task.ts"

export type Outcome = Exit.Exit<WorkerOutcome, TaskError>

const kindOf = (error: TaskError): TaskFailed["kind"] => {
  switch (error._tag) {
    case "IterationLimitReached":
    case "BudgetReached":
    case "PriceUnknown":
      return "limit"
    case "TaskTimedOut":
      return "timeout"
    case "TaskStopped":
      return error.error === "Crashed" ? "defect" : "denied"
    default:
      return "model"
  }
}

/** The terminal event of a task, by how its work ended. */
export const taskEnd = (outcome: Outcome, by: "user" | "shutdown", durationMillis: number): TerminalEvent => {
  if (Exit.isSuccess(outcome)) return new TaskCompleted({ ...outcome.value, durationMillis }, trusted)
  const failure = Cause.failureOption(outcome.cause)
  if (Option.isSome(failure)) {
    const { _tag, message } = failure.value
    const error = _tag === "TaskStopped" ? failure.value.error : _tag
    const why = error === undefined ? {} : { error }
    return new TaskFailed({ kind: kindOf(failure.value), message, ...why, durationMillis }, trusted)
  }
  return endOf(outcome.cause) === "interrupted"
    ? new TaskInterrupted({ by, durationMillis }, trusted)
    : new TaskFailed(
        { kind: "defect", message: `The task crashed. ${blameOf(outcome.cause)}.`, durationMillis },
        trusted
      )
}
