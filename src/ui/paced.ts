import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Envelope } from "../runtime/Envelope.ts"

/** How long deltas are gathered: nobody reads faster, and each reader then gets them in one piece. */
const pace = "25 millis"

/** After a chunk of nothing but deltas, the next one gathers for a moment. */
export const paced = <E, R>(events: Stream.Stream<Envelope, E, R>): Stream.Stream<Envelope, E, R> => {
  let pause = false
  return Stream.mapChunksEffect(events, (chunk) => {
    const wait = pause ? Effect.sleep(pace) : Effect.void
    pause = Chunk.every(chunk, ({ transient }) => transient === true)
    return Effect.as(wait, chunk)
  })
}
