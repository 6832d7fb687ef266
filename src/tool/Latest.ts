import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/**
 * A value that changes and can be watched. A watcher gets the value there is and then the newest one whenever it asks: one
 * that is slow misses values in between, and costs nothing.
 */
export interface Latest<A> {
  readonly get: () => A
  readonly set: (value: A) => void
  readonly changes: Stream.Stream<A>
}

export const make = <A>(initial: A): Latest<A> => {
  let value = initial
  let version = 0
  let moved = Effect.unsafeMakeLatch(false)
  let awaited = false

  const after = (seen: number): Effect.Effect<readonly [A, number]> =>
    Effect.suspend(() => {
      if (version !== seen) return Effect.succeed([value, version] as const)
      awaited = true
      return Effect.zipRight(moved.await, after(seen))
    })
  return {
    get: () => value,
    set: (next) => {
      value = next
      version++
      if (!awaited) return
      // A watcher that comes now waits for the next move, not for this one.
      const waiting = moved
      moved = Effect.unsafeMakeLatch(false)
      awaited = false
      waiting.unsafeOpen()
    },
    changes: Stream.unfoldEffect(-1, (seen) =>
      Effect.map(after(seen), ([current, at]) => [[current, at] as const, at] as const).pipe(Effect.asSome)
    ).pipe(Stream.map(([current]) => current))
  }
}
