import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Middleware } from "./Middleware.ts"
import type { Named } from "./Named.ts"
import { monotonicMillis } from "../system/monotonic.ts"
import { timeSpan, wholeNumber } from "../system/wholeNumber.ts"
import { named } from "./Step.ts"
import { duration } from "../text/duration.ts"

/** Calls come faster than the limit allows. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  kind: Schema.Literal("tool", "command"),
  name: Schema.String,
  limit: Schema.String,
  retryAfterMillis: Schema.Number
}) {
  readonly retryable = true
  override get message() {
    const after = duration(this.retryAfterMillis)
    return `${this.kind} ${this.name} may run ${this.limit}; it was not run. Try again in ${after}.`
  }
}

export interface RateLimit {
  /** Calls that may start in any window of `per`. */
  readonly permits: number
  readonly per: Duration.DurationInput
  /** The longest that a call waits for its turn before it fails. Default: 0. */
  readonly maxWait?: Duration.DurationInput
}

interface Turn {
  /** When the call starts, or is to start at the earliest; monotonic milliseconds. */
  at: number
}

/**
 * Lets `permits` calls start in any window of time, in order. The same value around several tools is one shared limit.
 * It remembers the starts of about one window and the calls that wait.
 */
export const rateLimit = <Call extends Named>(
  options: RateLimit
): Effect.Effect<Middleware<Call, { fails: RateLimited }>> =>
  Effect.sync(() => {
    const permits = wholeNumber("rateLimit: permits", options.permits)
    const window = Duration.toMillis(timeSpan("rateLimit: per", options.per))
    const maxWait = Duration.toMillis(timeSpan("rateLimit: maxWait", options.maxWait ?? 0))
    const limit = `${permits} times per ${duration(window)}`
    const turns: Array<Turn> = []

    let roomFor = 64

    /** Looks only when there are twice as many as the last time, which keeps a busy limit fast. */
    const forget = (now: number) => {
      if (turns.length < roomFor) return
      const recent = turns.findIndex(({ at }) => at > now - window)
      turns.splice(0, recent < 0 ? turns.length : recent)
      roomFor = Math.max(64, turns.length * 2)
    }
    /** One window after the call that is `permits` turns before. */
    const earliest = (index: number): number =>
      index < permits ? -Infinity : (turns[index - permits]?.at ?? -Infinity) + window
    const start = (turn: Turn): Effect.Effect<void> =>
      Effect.flatMap(monotonicMillis, (now) => {
        const left = earliest(turns.indexOf(turn)) - now
        if (left > 0) return Effect.zipRight(Effect.sleep(Math.ceil(left)), start(turn))
        turn.at = now
        return Effect.void
      })
    const giveBack = (turn: Turn) =>
      Effect.sync(() => {
        const index = turns.indexOf(turn)
        if (index >= 0) turns.splice(index, 1)
      })

    const limited: Middleware<Call, { fails: RateLimited }> = <Self extends Call, A, E, R>(
      call: Self,
      next: (call: Self) => Effect.Effect<A, E, R>
    ) =>
      Effect.flatMap(monotonicMillis, (now): Effect.Effect<A, E | RateLimited, R> => {
        forget(now)
        const at = Math.max(now, turns.at(-1)?.at ?? now, earliest(turns.length))
        const wait = at - now
        if (wait > maxWait) {
          return Effect.fail(
            new RateLimited({ kind: call.kind, name: call.name, limit, retryAfterMillis: Math.ceil(wait - maxWait) })
          )
        }
        const turn = { at }
        turns.push(turn)
        if (wait === 0) return next(call)
        return Effect.zipRight(
          Effect.onInterrupt(start(turn), () => giveBack(turn)),
          Effect.suspend(() => next(call))
        )
      })
    const patience = maxWait > 0 ? `, waiting up to ${duration(maxWait)}` : ""
    return named("rate limit", `${limit}${patience}`, limited)
  })
