import type { RedactionStream, RedactorShape } from "../redaction/Redactor.ts"
import type { Place } from "./Envelope.ts"
import type { TransientEvent } from "./Event.ts"

/** Characters that a channel keeps for late or slow readers. */
const retained = 256 * 1024
/** Characters of a block; what a subscriber is given never keeps more than that alive besides itself. */
const blockSize = 4096

/**
 * What one source of deltas has said so far, redacted across the cuts: the text of an answer, the output or the
 * progress of a call. A subscriber keeps only how far it has read, so a slow one gets many deltas as one.
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
  private blocks: Array<string> = []
  private block: Array<string> = []
  private blockLength = 0
  /** Characters before the first block. */
  private dropped = 0

  private readonly redactor: RedactorShape
  private readonly redaction: RedactionStream

  constructor(first: TransientEvent, place: Place, after: number, redactor: RedactorShape) {
    this.latest = first
    this.place = place
    this.after = after
    this.redactor = redactor
    this.redaction = first._tag === "ArgumentsDelta" ? redactor.jsonStream() : redactor.stream()
  }

  push(event: TransientEvent): void {
    this.latest = event
    if (event._tag === "ToolProgressed") {
      this.total += 1
      return
    }
    this.append(this.redaction.push(event.text))
  }

  /** Ends the channel with the durable event of that number; what redaction held back is said now. */
  close(by: number): void {
    this.append(this.redaction.flush())
    this.closedBy = by
  }

  /** What was said since `offset`; a gap, where it is no longer kept, shows in the event's own offset. */
  since(offset: number): TransientEvent {
    const event = this.named()
    if (event._tag === "ToolProgressed") return event
    const text = this.textFrom(Math.max(offset, this.dropped))
    return event._tag === "ToolOutput" ? { ...event, text } : { ...event, text, offset: this.total - text.length }
  }

  /** The latest event, with nothing secret in what it says besides its text. */
  private named(): TransientEvent {
    const { latest, redactor } = this
    if (!("tool" in latest)) return latest
    const tool = redactor.text(latest.tool)
    return latest._tag === "ToolProgressed" && latest.label !== undefined
      ? { ...latest, tool, label: redactor.text(latest.label) }
      : { ...latest, tool }
  }

  private append(text: string): void {
    if (text === "") return
    this.total += text.length
    this.block.push(text)
    this.blockLength += text.length
    if (this.blockLength >= blockSize) this.endBlock()
  }

  private textFrom(offset: number): string {
    let start = this.total - this.blockLength
    let index = this.blocks.length
    while (start > offset && index > 0) {
      index -= 1
      start -= this.blocks[index]?.length ?? 0
    }
    const [first = "", ...rest] = [...this.blocks.slice(index), ...this.block]
    return offset - start < first.length
      ? [first.slice(offset - start), ...rest].join("")
      : [first, ...rest].join("").slice(offset - start)
  }

  private endBlock(): void {
    this.blocks.push(this.block.join(""))
    this.block = []
    this.blockLength = 0
    if (this.total - this.dropped <= 2 * retained) return
    let kept = this.total - this.dropped
    let index = 0
    while (kept > retained && index < this.blocks.length) {
      kept -= this.blocks[index]?.length ?? 0
      index += 1
    }
    this.blocks = this.blocks.slice(index)
    this.dropped = this.total - kept
  }
}
