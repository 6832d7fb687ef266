import * as Schema from "effect/Schema"
import type { CancelTask, Command, CompactSession, Interrupt, InvokeTool, SubmitPrompt } from "./Command.ts"

/** The session has as many tasks as may wait; the command was not taken. */
export class TooManyTasks extends Schema.TaggedError<TooManyTasks>()("TooManyTasks", {
  session: Schema.String,
  tasks: Schema.Number
}) {
  override get message() {
    return `Session ${this.session} has ${this.tasks} waiting tasks already; cancel one or wait for the first to end.`
  }
}

/** A command that starts a task. */
export type Submission = SubmitPrompt | InvokeTool | CompactSession

const isSubmission = (command: Command): command is Submission =>
  command._tag === "SubmitPrompt" || command._tag === "InvokeTool" || command._tag === "CompactSession"

/**
 * The tasks that were submitted and have not ended. It keeps every session below `limit`, and lets a cancellation find
 * tasks that it overtakes in the queue.
 */
export class Submissions {
  private readonly limit: number
  /** How often each was sent. */
  private readonly sessions = new Map<string, Map<Submission, number>>()
  private readonly cancelled = new WeakMap<Submission, CancelTask | Interrupt>()

  constructor(limit: number) {
    this.limit = limit
  }

  /** Why a command is not taken: it starts a task, and its session has as many as it may. */
  enter(command: Command): TooManyTasks | undefined {
    if (!isSubmission(command)) return undefined
    const known = this.sessions.get(command.session) ?? new Map<Submission, number>()
    const times = known.get(command) ?? 0
    if (times === 0 && known.size >= this.limit)
      return new TooManyTasks({ session: command.session, tasks: this.limit })
    this.sessions.set(command.session, known.set(command, times + 1))
    return undefined
  }

  leave(command: Command): void {
    if (!isSubmission(command)) return
    const known = this.sessions.get(command.session)
    const times = known?.get(command) ?? 0
    if (times > 1) known?.set(command, times - 1)
    else known?.delete(command)
    if (known?.size === 0) this.sessions.delete(command.session)
  }

  /** Cancels those of a session, or one of them; false if none exists. */
  cancel(by: CancelTask | Interrupt): boolean {
    if (by._tag === "Interrupt" && by.worker !== undefined) return false
    const task = by._tag === "CancelTask" ? by.task : undefined
    const found = [...(this.sessions.get(by.session)?.keys() ?? [])].filter(
      (one) => task === undefined || one.task === task
    )
    for (const command of found) this.cancelled.set(command, by)
    return found.length > 0
  }

  /** The command that has cancelled it. */
  cancelledBy(command: Submission): CancelTask | Interrupt | undefined {
    return this.cancelled.get(command)
  }

  /** The session is gone, and its waiting tasks with it. */
  forget(session: string): void {
    this.sessions.delete(session)
  }
}
