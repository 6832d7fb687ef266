import type * as Clock from "effect/Clock"
import type { Channel } from "./Channel.ts"
import type { Channels } from "./Channels.ts"
import { type Envelope, schemaVersion } from "./Envelope.ts"

/** How far one reader has heard of the open sources of deltas. */
export class DeltaCursor {
  private readonly offsets = new Map<Channel, number>()
  private readonly channels: Channels
  private readonly session: string
  private readonly clock: Clock.Clock

  constructor(channels: Channels, session: string, clock: Clock.Clock) {
    this.channels = channels
    this.session = session
    this.clock = clock
  }

  /** What they have said since, behind the durable event of this number. */
  since(seq: number): ReadonlyArray<Envelope> {
    return this.channels.visible(seq).flatMap((channel) => this.read(channel, seq))
  }

  /** Durable events, and before each what the sources that it closes have said since. */
  around(batch: ReadonlyArray<Envelope>): ReadonlyArray<Envelope> {
    return batch.flatMap((envelope): Envelope | ReadonlyArray<Envelope> => {
      const closed = this.channels.closedBy(envelope.seq)
      if (closed.length === 0) return envelope
      const said = closed.flatMap((channel) => this.read(channel, envelope.seq - 1))
      for (const channel of closed) this.offsets.delete(channel)
      return [...said, envelope]
    })
  }

  private read(channel: Channel, seq: number): ReadonlyArray<Envelope> {
    const offset = this.offsets.get(channel) ?? 0
    if (channel.total <= offset) return []
    this.offsets.set(channel, channel.total)
    const time = this.clock.unsafeCurrentTimeMillis()
    const { place } = channel
    const event = channel.since(offset)
    return [{ version: schemaVersion, seq, time, session: this.session, ...place, transient: true, event }]
  }
}
