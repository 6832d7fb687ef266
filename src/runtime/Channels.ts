import { toText } from "../tool/WorkerPath.ts"
import type { RedactorShape } from "../redaction/Redactor.ts"
import { Channel } from "./Channel.ts"
import type { Place } from "./Envelope.ts"
import type { DurableEvent, TransientEvent } from "./Event.ts"

/** How many channels are kept after their end for subscribers that have not read them out. */
const keptClosed = 32

const separator = "\u0000"

const workerKey = ({ task, worker }: Place): string => `${task ?? ""}${separator}${toText(worker ?? [])}${separator}`

const placeKey = (place: Place): string => `${workerKey(place)}${place.iteration ?? ""}`

const channelKey = (event: TransientEvent, place: Place): string => {
  const kind = event._tag === "ToolOutput" ? event.channel : event._tag
  return `${placeKey(place)}${separator}${kind}${separator}${"callId" in event ? event.callId : ""}`
}

/** The open sources of deltas of a session. */
export class Channels {
  private readonly open = new Map<string, Channel>()
  private closed: Array<Channel> = []
  private readonly redactor: RedactorShape

  constructor(redactor: RedactorShape) {
    this.redactor = redactor
  }

  /** `after` is the number of the last durable event before the delta. */
  push(event: TransientEvent, place: Place, after: number): void {
    const key = channelKey(event, place)
    let channel = this.open.get(key)
    if (channel === undefined) {
      channel = new Channel(event, place, after, this.redactor)
      this.open.set(key, channel)
    }
    channel.push(event)
  }

  /** Ends the channels that a durable event sums up. */
  close(event: DurableEvent, place: Place, seq: number): void {
    if (this.open.size === 0) return
    switch (event._tag) {
      case "ModelAnswered":
      case "ModelInterrupted":
      case "ModelAttemptFailed":
        return this.closeWhere(seq, placeKey(place), (key) => /(?:Text|Reasoning|Arguments)Delta/.test(key))
      case "ToolCallCompleted":
      case "ToolCallFailed":
      case "ToolCallInterrupted":
      case "ToolCallOutcomeUnknown":
        return this.closeWhere(seq, placeKey(place), (key) => key.endsWith(`${separator}${event.callId}`))
      case "WorkerCompleted":
      case "WorkerFailed":
      case "WorkerInterrupted":
        return this.closeWhere(seq, workerKey(place))
      case "TaskCompleted":
      case "TaskFailed":
      case "TaskInterrupted":
        return this.closeWhere(seq, `${place.task ?? ""}${separator}`)
      default:
    }
  }

  /** Deltas may be skipped: unread ones are dropped. */
  clear(): void {
    this.open.clear()
    this.closed = []
  }

  private closeWhere(seq: number, beginning: string, matches: (key: string) => boolean = () => true): void {
    for (const [key, channel] of this.open) {
      if (!key.startsWith(beginning) || !matches(key)) continue
      channel.close(seq)
      this.open.delete(key)
      this.closed.push(channel)
    }
    if (this.closed.length > keptClosed) this.closed = this.closed.slice(-keptClosed)
  }

  /** Those that a subscriber may see which has everything up to number `seen`. */
  visible(seen: number): ReadonlyArray<Channel> {
    if (this.open.size === 0) return []
    return [...this.open.values()].filter((channel) => channel.after <= seen)
  }

  closedBy(seq: number): ReadonlyArray<Channel> {
    return this.closed.length === 0 ? [] : this.closed.filter((channel) => channel.closedBy === seq)
  }
}
