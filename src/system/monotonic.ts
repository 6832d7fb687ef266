import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Milliseconds on a clock that cannot be set; only differences have a meaning. */
export const monotonicMillis: Effect.Effect<number> = Effect.map(Clock.currentTimeNanos, (nanos) => millis(nanos))

/** The same where only a clock is at hand. */
export const unsafeMonotonicMillis = (clock: Clock.Clock): number => millis(clock.unsafeCurrentTimeNanos())

const millis = (nanos: bigint): number => Number(nanos / 1_000n) / 1_000
