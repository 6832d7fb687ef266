import * as Schema from "effect/Schema"
import { TaskFailed, TaskInterrupted, type TerminalEvent } from "../runtime/Event.ts"

/** What the process says when it ends. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  denied: 3,
  configuration: 4,
  internal: 70,
  interrupted: 130
} as const

/** The task did not complete; the frontend has said why. */
export class TaskEndedEarly extends Schema.TaggedError<TaskEndedEarly>()("TaskEndedEarly", {
  outcome: Schema.Union(TaskFailed, TaskInterrupted)
}) {
  override get message() {
    return this.outcome._tag === "TaskFailed" ? this.outcome.message : "The task was interrupted."
  }
}

/** The command line asks for something that cannot be. */
export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

const configuration: ReadonlySet<string> = new Set([
  "ConfigUnreadable",
  "ConfigUnwritable",
  "ConfigInvalid",
  "ConfigKeyUnknown",
  "NoProfile",
  "ProfileNotFound",
  "CredentialsMissing",
  "ProfileInvalid",
  "NotReady"
])

const codeOfEvent = (event: Exclude<TerminalEvent, { readonly _tag: "TaskCompleted" }>): number =>
  event._tag === "TaskInterrupted"
    ? exitCodes.interrupted
    : event.kind === "denied"
      ? exitCodes.denied
      : exitCodes.failed

const isTaskEndedEarly = Schema.is(TaskEndedEarly)

/** The exit code for an error of a command. */
export const codeOf = (error: { readonly _tag: string }): number => {
  if (isTaskEndedEarly(error)) return codeOfEvent(error.outcome)
  if (error._tag === "UsageError") return exitCodes.usage
  return configuration.has(error._tag) ? exitCodes.configuration : exitCodes.failed
}
