import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Indexer, Progress } from "./Indexer.ts"

/** Indexes what is left until the time is up; `show` is called with how far it is. Then others may go on. */
export const catchUp = (
  { progress, release, step }: Indexer,
  within: Duration.DurationInput,
  show: (progress: Progress) => Effect.Effect<void> = () => Effect.void
) =>
  Effect.gen(function* () {
    const end = (yield* Clock.currentTimeMillis) + Duration.toMillis(within)
    const round: typeof step = Effect.gen(function* () {
      if (!(yield* step)) return false
      yield* show(yield* progress)
      return (yield* Clock.currentTimeMillis) < end
    })
    yield* Effect.iterate(true, { while: (more) => more, body: () => round })
  }).pipe(Effect.ensuring(release))
