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

/**
 * A log that was added, and those after it; a subscriber holds the last one that it has seen, so earlier ones are
 * freed.
 */
interface Added {
  log: EventLog | undefined
  next: Added | undefined
}

/** More than anyone opens between two turns of a subscriber; one that slept through more misses the oldest. */
const kept = 1024

export const make = (): Directory => {
  const open = new Set<EventLog>()
  let last: Added = { log: undefined, next: undefined }
  const recent: Array<WeakRef<Added>> = []
  let closed = false
  let moved = Effect.unsafeMakeLatch(false)
  const notify = () => {
    const waiting = moved
    moved = Effect.unsafeMakeLatch(false)
    waiting.unsafeOpen()
  }

  const later = (from: Added): Stream.Stream<EventLog> =>
    Stream.paginateChunkEffect(from, (seen) => {
      const step: Effect.Effect<readonly [Chunk.Chunk<EventLog>, Option.Option<Added>]> = Effect.suspend(() => {
        const signal = moved
        const found: Array<EventLog> = []
        let end = seen
        for (let one = seen.next; one !== undefined; one = one.next) {
          if (one.log !== undefined) found.push(one.log)
          end = one
        }
        if (end !== seen) return Effect.succeed([Chunk.unsafeFromArray(found), Option.some(end)] as const)
        return closed
          ? Effect.succeed([Chunk.empty<EventLog>(), Option.none<Added>()] as const)
          : Effect.zipRight(signal.await, step)
      })
      return step
    })

  return {
    add: (log) => {
      open.add(log)
      const added: Added = { log, next: undefined }
      last.next = added
      last = added
      recent.push(new WeakRef(added))
      const oldest = recent.length > kept ? recent.shift()?.deref() : undefined
      if (oldest !== undefined) oldest.log = undefined
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
      const next = Stream.map(later(last), (log) => log.subscribe({ from: log.lease.head + 1 }))
      return Stream.flatMap(
        Stream.concat(Stream.fromIterable(now), next),
        (events) => Stream.catchAllCause(events, () => Stream.empty),
        { concurrency: "unbounded" }
      )
    })
  }
}
