/** Answers of no to one and the same call in a task, after which nobody is asked again. */
export const maxDenials = 3

const maxKept = 10_000

/** How often a person has said no to a call in the task at hand, so that nobody is worn down (A8). */
export class Repetition {
  private readonly denials = new Map<string, Map<string, number>>()

  denied(session: string, digest: string): void {
    let ofSession = this.denials.get(session)
    if (ofSession === undefined) this.denials.set(session, (ofSession = new Map()))
    if (ofSession.size >= maxKept) return
    ofSession.set(digest, (ofSession.get(digest) ?? 0) + 1)
  }

  isWorn(session: string, digest: string): boolean {
    return (this.denials.get(session)?.get(digest) ?? 0) >= maxDenials
  }

  forget(session: string): void {
    this.denials.delete(session)
  }
}
