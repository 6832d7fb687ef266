import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Envelope } from "./Envelope.ts"
import type { EventLog } from "./EventLog.ts"

/** The logs that are open, and what happens in all of them. */
export interface Directory {
  readonly add: (log: EventLog) => void
  readonly remove: (log: EventLog) => void
  /** Ends the stream once the logs have. */
  readonly close: () => void
  /** Everything since it was asked for, in the logs that were open and in those added later; one that fails just ends. */
  readonly events: Effect.Effect<Stream.Stream<Envelope>>
}

export const make = (): Directory => {
  const open = new Set<EventLog>()
  /** Added and not yet seen by every subscriber; a subscriber is an index into it. */
  let added: ReadonlyArray<EventLog> = []
  let base = 0
  let closed = false
  let moved = Effect.unsafeMakeLatch(false)
  const notify = () => {
    const waiting = moved
    moved = Effect.unsafeMakeLatch(false)
    waiting.unsafeOpen()
  }
  /** More than anyone opens between two turns of a subscriber; one that slept through more misses the oldest. */
  const kept = 1024

  const later = (from: number): Stream.Stream<EventLog> =>
    Stream.paginateChunkEffect(from, (cursor) => {
      const step: Effect.Effect<readonly [Chunk.Chunk<EventLog>, Option.Option<number>]> = Effect.suspend(() => {
        const signal = moved
        const end = base + added.length
        if (cursor < end) {
          return Effect.succeed([
            Chunk.unsafeFromArray(added.slice(Math.max(0, cursor - base))),
            Option.some(end)
          ] as const)
        }
        return closed
          ? Effect.succeed([Chunk.empty<EventLog>(), Option.none<number>()] as const)
          : Effect.zipRight(signal.await, step)
      })
      return step
    })

  return {
    add: (log) => {
      open.add(log)
      added = [...added, log]
      if (added.length > kept) {
        base += added.length - kept
        added = added.slice(-kept)
      }
      notify()
    },
    remove: (log) => {
      open.delete(log)
    },
    close: () => {
      closed = true
      notify()
    },
    events: Effect.sync(() => {
      const now = [...open].map((log) => log.subscribe({ from: log.head() + 1 }))
      const next = Stream.map(later(base + added.length), (log) => log.subscribe({ from: log.lease.head + 1 }))
      return Stream.flatMap(
        Stream.concat(Stream.fromIterable(now), next),
        (events) => Stream.catchAllCause(events, () => Stream.empty),
        { concurrency: "unbounded" }
      )
    })
  }
}
