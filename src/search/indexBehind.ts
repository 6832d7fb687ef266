import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Indexer } from "./Indexer.ts"

/** Before the first step, so that it comes after the start. */
const start = Duration.seconds(5)
/** Between steps, between looks for more work, and after a failure. */
const pause = Duration.millis(20)
const rest = Duration.seconds(5)
const backOff = Duration.minutes(5)

/** Indexes behind everything else: one small step at a time, and only while nothing happens. Others go on where it is interrupted. */
export const indexBehind = <E, E2, R>(
  indexer: Effect.Effect<Pick<Indexer, "step" | "release">, E, R>,
  idle: Effect.Effect<boolean, E2, R>
): Effect.Effect<never, never, R> =>
  Effect.gen(function* () {
    yield* Effect.sleep(start)
    const { release, step } = yield* indexer
    const round = Effect.gen(function* () {
      if (!(yield* idle)) return Duration.seconds(1)
      return (yield* step) ? pause : rest
    })
    return yield* Effect.forever(Effect.flatMap(round, Effect.sleep)).pipe(Effect.ensuring(release))
  }).pipe(
    Effect.catchAll((error) => Effect.logWarning("Messages are not indexed for now", error)),
    Effect.zipRight(Effect.sleep(backOff)),
    Effect.forever
  )
