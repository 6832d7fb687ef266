import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Middleware } from "./Middleware.ts"
import type { Named } from "./Named.ts"
import { monotonicMillis } from "./monotonic.ts"
import { named } from "./Step.ts"

/** Calls come faster than the limit allows. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  kind: Schema.Literal("tool", "command"),
  name: Schema.String,
  limit: Schema.String,
  retryAfterMillis: Schema.Number
}) {
  readonly retryable = true
  override get message() {
    const after = Duration.format(Duration.millis(this.retryAfterMillis))
    return `${this.kind} ${this.name} may run ${this.limit}; it was not run. Try again in ${after}.`
  }
}

export interface RateLimit {
  /** Calls that may start at once, and in any window of `per`. */
  readonly permits: number
  readonly per: Duration.DurationInput
  /** The longest that a call waits for its turn; beyond it the call fails. Zero where absent. */
  readonly maxWait?: Duration.DurationInput
}

/**
 * Lets so many calls start per time, spaced evenly once a burst is used up (T18). The same value around several tools is
 * one limit for all of them. Its state is one number: the time at which the bucket is full again (GCRA, ITU-T I.371).
 */
export const rateLimit = <Call extends Named>(
  options: RateLimit
): Effect.Effect<Middleware<Call, { fails: RateLimited }>> =>
  Effect.sync(() => {
    const window = Duration.toMillis(options.per)
    const maxWait = Duration.toMillis(options.maxWait ?? 0)
    const spacing = window / options.permits
    const limit = `${options.permits} times per ${Duration.format(Duration.decode(options.per))}`
    let full = -Infinity
    const giveBack = Effect.sync(() => {
      full -= spacing
    })
    const limited: Middleware<Call, { fails: RateLimited }> = <Self extends Call, A, E, R>(
      call: Self,
      next: (call: Self) => Effect.Effect<A, E, R>
    ) =>
      Effect.flatMap(monotonicMillis, (now): Effect.Effect<A, E | RateLimited, R> => {
        const from = Math.max(full, now)
        const wait = Math.max(0, from + spacing - window - now)
        if (wait > maxWait) {
          return Effect.fail(
            new RateLimited({ kind: call.kind, name: call.name, limit, retryAfterMillis: Math.ceil(wait - maxWait) })
          )
        }
        full = from + spacing
        if (wait === 0) return next(call)
        return Effect.zipRight(
          Effect.onInterrupt(Effect.sleep(Duration.millis(wait)), () => giveBack),
          Effect.suspend(() => next(call))
        )
      })
    const patience = maxWait > 0 ? `, waiting up to ${Duration.format(Duration.millis(maxWait))}` : ""
    return named("rate limit", `${limit}${patience}`, limited)
  })
