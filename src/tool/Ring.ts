import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Latest from "./Latest.ts"

/** A bounded list of the latest entries; each has a number, so a slow reader sees gaps. */
export interface Ring<A> {
  readonly push: (value: A) => void
  /** The newest `limit`, oldest first. */
  readonly recent: (limit?: number) => ReadonlyArray<A>
  /** What happens from now on. A watcher further behind than the capacity goes on with the oldest that is kept. */
  readonly following: Stream.Stream<A>
}

export const make = <A>(capacity: number): Ring<A> => {
  let kept: Array<A> = []
  /** How many were pushed in all. */
  const head = Latest.make(0)

  const from = (cursor: number): ReadonlyArray<A> => kept.slice(Math.max(0, kept.length - (head.get() - cursor)))
  return {
    push: (value) => {
      kept.push(value)
      if (kept.length >= capacity * 2) kept = kept.slice(-capacity)
      head.set(head.get() + 1)
    },
    recent: (limit = capacity) => kept.slice(-Math.max(1, Math.min(limit, capacity))),
    following: Stream.suspend(() => {
      let cursor = head.get()
      return head.changes.pipe(
        Stream.mapEffect((now) =>
          Effect.sync(() => {
            const fresh = from(Math.max(cursor, now - capacity))
            cursor = head.get()
            return fresh
          })
        ),
        Stream.mapConcatChunk(Chunk.fromIterable)
      )
    })
  }
}
