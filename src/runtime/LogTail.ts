import type { Envelope } from "./Envelope.ts"
import { eventSize } from "./eventSize.ts"

/** Events that are kept for certain, as far as their texts allow. */
export interface TailLimits {
  readonly events: number
  /** Characters of their texts. */
  readonly text: number
}

/** The last events of a log, which are read without its store. */
export class LogTail {
  private ring: Array<Envelope> = []
  private held = 0
  private readonly limits: TailLimits
  /** The number of the first event that is kept, or of the next one where there is none. */
  base: number

  constructor(base: number, limits: TailLimits) {
    this.base = base
    this.limits = limits
  }

  push(batch: ReadonlyArray<Envelope>): void {
    for (const envelope of batch) {
      this.ring.push(envelope)
      this.held += eventSize(envelope)
    }
    if (this.ring.length > 2 * this.limits.events) this.keep(this.limits.events)
    while (this.held > this.limits.text) this.keep(this.ring.length >> 1)
  }

  /** The kept events from one number up to another; all that follow if unset. */
  slice(from: number, to = Infinity): ReadonlyArray<Envelope> {
    return this.ring.slice(from - this.base, to + 1 - this.base)
  }

  clear(): void {
    this.keep(0)
  }

  /** Leaves the last ones; who wants others reads them from the store. */
  private keep(length: number): void {
    const from = this.ring.length - length
    this.base += from
    this.ring = this.ring.slice(from)
    this.held = this.ring.reduce((sum, envelope) => sum + eventSize(envelope), 0)
  }
}
