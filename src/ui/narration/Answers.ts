import type { ModelAttemptFailed } from "../../agent/AgentEvent.ts"
import type { Step } from "./Step.ts"

/** The answers that are being written, by the place of their worker. */
export class Answers {
  /** Characters already shown of each. */
  private readonly said = new Map<string, number>()
  /** Why the last attempt at one failed. */
  private readonly failed = new Map<string, string>()

  /** What of a text, which begins at `offset` of its answer, has not been told. */
  text(place: string, offset: number, text: string): ReadonlyArray<Step> {
    const said = this.said.get(place) ?? 0
    const fresh = text.slice(Math.max(0, said - offset))
    if (fresh === "") return []
    this.said.set(place, offset + text.length)
    return [{ _tag: "Text", text: fresh }]
  }

  /** Whether anything had been shown of an answer that is over. */
  end(place: string): boolean {
    const begun = (this.said.get(place) ?? 0) > 0
    this.said.delete(place)
    return begun
  }

  /** What happened to an attempt, in full where it is not what happened to the one before. */
  attemptFailed(place: string, { attempt, reason }: ModelAttemptFailed): string {
    const same = this.failed.get(place) === reason
    this.failed.set(place, reason)
    return same ? `attempt ${attempt} failed the same way` : `attempt ${attempt} failed: ${reason.replace(/\.$/, "")}`
  }

  /** Nothing more comes of a task. */
  forget(task: string): void {
    for (const place of this.said.keys()) if (place.startsWith(`${task}/`)) this.said.delete(place)
  }
}
