import type { Command, CompactSession, InvokeTool, SubmitPrompt } from "./Command.ts"

/** A command that starts a task. */
export type Submission = SubmitPrompt | InvokeTool | CompactSession

export const isSubmission = (command: Command): command is Submission =>
  command._tag === "SubmitPrompt" || command._tag === "InvokeTool" || command._tag === "CompactSession"

/**
 * The tasks that were asked for and have not ended, from the moment of asking: so that no session has more than `limit`, and
 * a cancellation, which waits for nothing, finds those that it overtakes.
 */
export class Submissions {
  readonly limit: number
  private readonly sessions = new Map<string, Set<Submission>>()
  private readonly cancelled = new WeakSet<Submission>()

  constructor(limit: number) {
    this.limit = limit
  }

  /** False where the session has as many as it may. */
  enter(command: Submission): boolean {
    const known = this.sessions.get(command.session) ?? new Set()
    if (known.size >= this.limit) return false
    this.sessions.set(command.session, known.add(command))
    return true
  }

  leave(command: Submission): void {
    const known = this.sessions.get(command.session)
    known?.delete(command)
    if (known?.size === 0) this.sessions.delete(command.session)
  }

  /** Cancels those of a session, or one of them; false where there is none. */
  cancel(session: string, task?: string): boolean {
    const found = [...(this.sessions.get(session) ?? [])].filter((one) => task === undefined || one.task === task)
    for (const command of found) this.cancelled.add(command)
    return found.length > 0
  }

  isCancelled(command: Submission): boolean {
    return this.cancelled.has(command)
  }

  /** The session is gone, and whatever waited in it. */
  forget(session: string): void {
    this.sessions.delete(session)
  }
}
