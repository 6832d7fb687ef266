import type { Place } from "./Envelope.ts"
import type { TransientEvent } from "./Event.ts"

/** Characters that a channel keeps for whoever attaches late or lags. */
const retained = 256 * 1024
const joinAfter = 512

/**
 * What one source of deltas has said so far: the text of an answer, the output of a call, the progress of one. A
 * subscriber keeps only how far it has read, so any number of deltas coalesce into one for a slow one.
 */
export class Channel {
  readonly place: Place
  /** Visible to who has seen this durable event. */
  readonly after: number
  /** The number of the durable event that says it all and ends the channel. */
  closedBy: number | undefined
  /** Characters or states so far. */
  total = 0
  private latest: TransientEvent
  private text = ""
  private tail: Array<string> = []

  constructor(first: TransientEvent, place: Place, after: number) {
    this.latest = first
    this.place = place
    this.after = after
  }

  push(event: TransientEvent): void {
    this.latest = event
    if (event._tag === "ToolProgressed") {
      this.total += 1
      return
    }
    this.total += event.text.length
    this.tail.push(event.text)
    if (this.tail.length >= joinAfter) this.flatten()
  }

  /** What was said since `offset`; a gap, where it is no longer kept, shows in the event's own offset. */
  since(offset: number): TransientEvent {
    const event = this.latest
    if (event._tag === "ToolProgressed") return event
    this.flatten()
    const kept = this.total - this.text.length
    const text = this.text.slice(Math.max(0, offset - kept))
    return event._tag === "ToolOutput" ? { ...event, text } : { ...event, text, offset: this.total - text.length }
  }

  private flatten(): void {
    if (this.tail.length === 0) return
    const text = this.text + this.tail.join("")
    this.tail = []
    this.text = text.length > 2 * retained ? text.slice(-retained) : text
  }
}
