import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Iterations } from "../tool/iterations.ts"
import type { Envelope } from "./Envelope.ts"
import { isTerminal } from "./Event.ts"

/** Lets what the runtime tells of its loops drive progress and notifications, until the events end. */
export const followIterations =
  (iterations: Iterations, maxIterations: number) =>
  <E, R>(events: Stream.Stream<Envelope, E, R>): Effect.Effect<void, E, R> =>
    Stream.runForEach(events, ({ event, iteration = 1, task, worker = [] }) => {
      if (task === undefined) return Effect.void
      if (event._tag === "IterationEnded") {
        return iterations.iterated({ task, worker, iteration, maxIterations, totalTokens: event.totalTokens })
      }
      return isTerminal(event) ? iterations.ended(task) : Effect.void
    })
