import * as Chunk from "effect/Chunk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { DatabaseError } from "../database/DatabaseError.ts"
import type { Envelope } from "./Envelope.ts"
import { chunkSize, type Subscription } from "./EventLog.ts"
import type { LogError } from "./storeFailure.ts"
import type { SessionStore } from "./SessionStore.ts"

/** How often a session that another process writes is looked at. */
const poll = Duration.millis(200)

/** What may happen here to a session that is only stored. */
export interface Here {
  /** How to watch it once it is open here. */
  readonly watch: () => ((subscription: Subscription) => Stream.Stream<Envelope, LogError>) | undefined
  /** Returns when a session, any, is opened here. */
  readonly opened: () => Effect.Effect<void>
}

/** The events of a session that is not open here, and those that follow, from its own log where it is opened here. */
export const storedEvents = (
  store: SessionStore["Type"],
  session: string,
  subscription: Subscription,
  { opened, watch }: Here
): Stream.Stream<Envelope, LogError> =>
  Stream.suspend(() => {
    const { follow = true, from, page = chunkSize } = subscription
    let cursor = Math.max(1, from)
    const end = [Chunk.empty<Envelope>(), Option.none<void>()] as const
    type Page = readonly [Chunk.Chunk<Envelope>, Option.Option<void>]
    const step: Effect.Effect<Page, DatabaseError> = Effect.suspend(() => {
      if (follow && watch() !== undefined) return Effect.succeed(end)
      const isOpened = opened()
      return Effect.flatMap(store.read(session, cursor, page), (events): Effect.Effect<Page, DatabaseError> => {
        const last = events[events.length - 1]
        if (last === undefined)
          return follow ? Effect.zipRight(Effect.raceFirst(Effect.sleep(poll), isOpened), step) : Effect.succeed(end)
        cursor = last.seq + 1
        return Effect.succeed([Chunk.unsafeFromArray(events), Option.some(undefined)])
      })
    })
    const stored = Stream.paginateChunkEffect(undefined, () => step)
    const live = Stream.suspend(
      () => (follow ? watch()?.({ ...subscription, from: cursor }) : undefined) ?? Stream.empty
    )
    return Stream.concat(stored, live)
  })
