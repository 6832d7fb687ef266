import * as Chunk from "effect/Chunk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { DatabaseError } from "../database/DatabaseError.ts"
import type { Envelope } from "./Envelope.ts"
import { chunkSize, type Subscription } from "./EventLog.ts"
import type { LogError } from "./storeFailure.ts"
import type { SessionNotFound, SessionStore } from "./SessionStore.ts"

/** How often a session that another process writes is looked at. */
const poll = Duration.millis(200)

/** What may happen here to a session that is only stored. */
export interface Here {
  /** How to watch it once it is open here. */
  readonly watch: () => ((subscription: Subscription) => Stream.Stream<Envelope, LogError>) | undefined
  /** Returns when a session, any, is opened here. */
  readonly opened: () => Effect.Effect<void>
}

/**
 * The events of a session that is not open here, and those that follow, from its own log where it is opened here. Fails once it is
 * deleted.
 */
export const storedEvents = (
  store: SessionStore["Type"],
  session: string,
  subscription: Subscription,
  { opened, watch }: Here
): Stream.Stream<Envelope, SessionNotFound | LogError> =>
  Stream.suspend(() => {
    const { follow = true, from, page = chunkSize } = subscription
    let cursor = Math.max(1, from)
    const end = [Chunk.empty<Envelope>(), Option.none<void>()] as const
    type Page = readonly [Chunk.Chunk<Envelope>, Option.Option<void>]
    const step: Effect.Effect<Page, SessionNotFound | DatabaseError> = Effect.suspend(() => {
      if (follow && watch() !== undefined) return Effect.succeed(end)
      const isOpened = opened()
      const later = Effect.raceFirst(Effect.sleep(poll), isOpened).pipe(
        Effect.zipRight(store.get(session)),
        Effect.zipRight(step)
      )
      return Effect.flatMap(store.read(session, cursor, page), (events) => {
        const last = events[events.length - 1]
        if (last === undefined) return follow ? later : Effect.succeed<Page>(end)
        cursor = last.seq + 1
        return Effect.succeed<Page>([Chunk.unsafeFromArray(events), Option.some(undefined)])
      })
    })
    const stored = Stream.paginateChunkEffect(undefined, () => step)
    const live = Stream.suspend(
      () => (follow ? watch()?.({ ...subscription, from: cursor }) : undefined) ?? Stream.empty
    )
    return Stream.concat(stored, live)
  })
