import type { ToolCall } from "../tool/ToolCall.ts"
import { definition, sha256 } from "./Digest.ts"
import type { Subject } from "./Subject.ts"

/** What makes two calls the same to a person: who makes them, how they are blanked and what is said about them does not. */
export const likeness = ({ name, rawParams, tool }: ToolCall, subject: Subject): string =>
  subject.shape === undefined ? sha256([name, definition(tool), rawParams]) : subject.key

/** Answers of no to one and the same call in a task, after which nobody is asked again. */
const maxDenials = 3

const maxKept = 10_000

/** How often a person has said no to a call in the task at hand, so that nobody is worn down (A8). */
export class Repetition {
  private readonly denials = new Map<string, Map<string, number>>()

  denied(session: string, likeness: string): void {
    let ofSession = this.denials.get(session)
    if (ofSession === undefined) this.denials.set(session, (ofSession = new Map()))
    if (ofSession.size >= maxKept) return
    ofSession.set(likeness, (ofSession.get(likeness) ?? 0) + 1)
  }

  isWorn(session: string, likeness: string): boolean {
    return (this.denials.get(session)?.get(likeness) ?? 0) >= maxDenials
  }

  forget(session: string): void {
    this.denials.delete(session)
  }
}
