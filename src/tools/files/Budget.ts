import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { duration } from "../../text/duration.ts"

/** How much a search may find, say and look at before it stops and says so. */
export interface Limits {
  readonly found: number
  /** UTF-16 units of the answer. */
  readonly text: number
  readonly files: number
  readonly millis: number
}

/** Counts what a search has used up. */
export class Budget {
  found = 0
  text = 0
  files = 0
  private readonly limits: Limits
  private readonly start: number
  private readonly clock: Clock.Clock

  constructor(limits: Limits, clock: Clock.Clock) {
    this.limits = limits
    this.clock = clock
    this.start = clock.unsafeCurrentTimeMillis()
  }

  /** Which limit was reached, in words. */
  get spent(): string | undefined {
    const { files, found, millis, text } = this.limits
    if (this.found >= found) return `stopped after ${found} results`
    if (this.text >= text) return `stopped after ${text} characters`
    if (this.files >= files) return `stopped after looking at ${files} files`
    if (this.clock.unsafeCurrentTimeMillis() - this.start >= millis) return `stopped after ${duration(millis)}`
    return undefined
  }
}

export const make = (limits: Limits): Effect.Effect<Budget> =>
  Effect.map(Effect.clock, (clock) => new Budget(limits, clock))
