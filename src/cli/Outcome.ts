import * as os from "node:os"
import * as Schema from "effect/Schema"
import type { TerminalEvent } from "../runtime/Event.ts"

/** What the process says when it ends. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  denied: 3,
  configuration: 4,
  internal: 70,
  interrupted: 130,
  /** As if ended by SIGPIPE: no one reads its output. */
  unread: 141
} as const

/** The exit code of a process that a signal stopped, as shells give it. */
export const exitCodeOf = (signal: "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGQUIT"): number =>
  128 + os.constants.signals[signal]

/** The task did not complete; the frontend has said why. */
export class TaskEndedEarly extends Schema.TaggedError<TaskEndedEarly>()("TaskEndedEarly", {
  how: Schema.Literal("failed", "denied", "interrupted"),
  reason: Schema.String,
  /** The tag of the error behind it. */
  error: Schema.optionalWith(Schema.String, { exact: true })
}) {
  override get message() {
    return this.reason
  }
}

/** Whether a call did not run because it was denied; a failed tool does not count. */
const refuses = (error = ""): boolean => /^Approval|^Hook/.test(error) || error === "LoopDetected"

export const endedEarly = (event: Exclude<TerminalEvent, { readonly _tag: "TaskCompleted" }>): TaskEndedEarly =>
  event._tag === "TaskInterrupted"
    ? new TaskEndedEarly({ how: "interrupted", reason: "The task was interrupted." })
    : new TaskEndedEarly({
        how: event.kind === "denied" && refuses(event.error) ? "denied" : "failed",
        reason: event.message,
        ...(event.error === undefined ? {} : { error: event.error })
      })

/** The runtime has stopped, and the task goes on with the next one if at all. */
export const stoppedBefore = new TaskEndedEarly({
  how: "interrupted",
  reason: "The runtime stopped before the task ended."
})

/** A request of the session waits for a person, or for its task to go on by an answer, and no one is attached. */
export class ApprovalWaits extends Schema.TaggedError<ApprovalWaits>()("ApprovalWaits", {
  session: Schema.String,
  approvalId: Schema.String,
  tool: Schema.String,
  /** It has an answer that lies ready. */
  answered: Schema.optionalWith(Schema.Literal(true), { exact: true })
}) {
  override get message() {
    if (this.answered === true) {
      return `Session ${this.session} has an answer to ${this.approvalId} (${this.tool}) that its task has not gone on by yet; nothing was changed. Let it go on first.`
    }
    return `Session ${this.session} waits for an answer to ${this.approvalId} (${this.tool}), and no one is attached; nothing was changed.`
  }
}

/** No one is attached to answer. */
export class NobodyToAsk extends Schema.TaggedError<NobodyToAsk>()("NobodyToAsk", { reason: Schema.String }) {
  override get message() {
    return this.reason
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
  "ConfigMissing",
  "NoProfile",
  "ProfileNotFound",
  "CredentialsMissing",
  "ProfileInvalid",
  "SandboxUnavailable",
  "NotReady"
])

const isTaskEndedEarly = Schema.is(TaskEndedEarly)

/** The exit code for an error of a command. */
export const codeOf = (error: { readonly _tag: string }): number => {
  if (isTaskEndedEarly(error)) return exitCodes[error.how]
  if (error._tag === "UsageError") return exitCodes.usage
  if (error._tag === "ApprovalWaits" || error._tag === "NobodyToAsk") return exitCodes.denied
  if (error._tag === "Crashed") return exitCodes.internal
  return configuration.has(error._tag) ? exitCodes.configuration : exitCodes.failed
}
