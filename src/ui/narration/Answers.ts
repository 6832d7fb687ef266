import type { ModelAttemptFailed } from "../../agent/AgentEvent.ts"
import type { Step } from "./Step.ts"

/** Characters of what a model thinks that are kept. */
const thoughtLimit = 64 * 1024

/** The answers that are being written, by the place of their worker. */
export class Answers {
  /** Characters already shown of each. */
  private readonly said = new Map<string, number>()
  /** What the model thinks before it, since when; of one that has been told, nothing. */
  private readonly thoughts = new Map<string, { readonly since: number; text: string } | "told">()
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

  /** The model thinks aloud. */
  think(place: string, time: number, text: string): void {
    const known = this.thoughts.get(place)
    if (known === undefined || known === "told") this.thoughts.set(place, { since: time, text })
    else known.text = (known.text + text).slice(0, thoughtLimit)
  }

  /** What the model has thought until `time`; `recorded` is what its answer says of that. */
  thought(place: string, time: number, recorded = ""): ReadonlyArray<Step> {
    const known = this.thoughts.get(place)
    if (known === undefined) return recorded === "" ? [] : [{ _tag: "Thought", text: recorded.slice(0, thoughtLimit) }]
    this.thoughts.set(place, "told")
    if (known === "told") return []
    return [{ _tag: "Thought", text: known.text, durationMillis: Math.max(0, time - known.since) }]
  }

  /** Whether anything had been shown of an answer that is over. */
  end(place: string): boolean {
    const begun = (this.said.get(place) ?? 0) > 0
    this.said.delete(place)
    this.thoughts.delete(place)
    return begun
  }

  /** What happened to an attempt, in full where it is not what happened to the one before. */
  attemptFailed(place: string, { attempt, reason }: ModelAttemptFailed): string {
    const same = attempt > 1 && this.failed.get(place) === reason
    this.failed.set(place, reason)
    return same ? `attempt ${attempt} failed the same way` : `attempt ${attempt} failed: ${reason.replace(/\.$/, "")}`
  }

  /** Nothing more comes of a task. */
  forget(task: string): void {
    for (const place of [...this.said.keys(), ...this.thoughts.keys()])
      if (place.startsWith(`${task}/`)) this.end(place)
    for (const place of this.failed.keys()) if (place.startsWith(`${task}/`)) this.failed.delete(place)
  }
}
