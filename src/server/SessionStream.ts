import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Approvals } from "../approval/Approvals.ts"
import { turn } from "../process/RealClock.ts"
import type { Envelope } from "../runtime/Envelope.ts"
import { Runtime } from "../runtime/Runtime.ts"
import { SessionStore } from "../runtime/SessionStore.ts"
import { paced } from "../ui/paced.ts"
import { type Failed, Gone, type NotFound } from "./ApiError.ts"
import { type Frame, frameOf, ownFrameOf, snapshotOf } from "./Frame.ts"
import { detailOf } from "./SessionInfo.ts"
import { ofSession } from "./stored.ts"

/** How long before a session that was closed is watched again. */
const again = "200 millis"

/** Events that are handed over at a time: what a reader that takes nothing holds. */
const page = 16

/** One reader that is behind goes on in each turn of the event loop, so that requests and other readers do not wait for it. */
class CatchingUp extends Context.Reference<CatchingUp>()("tollgate/server/CatchingUp", {
  defaultValue: () => Effect.unsafeMakeSemaphore(1)
}) {}

/** Whether a reader has more to come at once: a full page was read for it alone. */
const isBehind = (chunk: Chunk.Chunk<Envelope>): boolean => chunk.length >= page

/** The events of a session from a number on, deltas gathered, also past its closing, until it is deleted or the runtime stops. */
export const sessionEvents = (session: string, from: number): Stream.Stream<Envelope, never, Runtime> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const { commands, subscribe } = yield* Runtime
      const others = (yield* CatchingUp).withPermits(1)(turn)
      let next = Math.max(1, from)
      const noted = (chunk: Chunk.Chunk<Envelope>) => {
        for (const { seq, transient } of chunk) if (transient !== true) next = seq + 1
        return isBehind(chunk) ? Effect.as(others, chunk) : Effect.succeed(chunk)
      }
      const once = Stream.suspend(() =>
        Stream.catchAll(Stream.mapChunksEffect(subscribe(session, { from: next, page }), noted), ({ _tag }) =>
          _tag === "SessionNotFound" ? Stream.fail(undefined) : Stream.empty
        )
      )
      const later = Stream.unwrap(
        Effect.map(Effect.sleep(again), () => (commands.isActive() ? once : Stream.fail(undefined)))
      )
      return paced(Stream.concat(once, Stream.forever(later)).pipe(Stream.catchAll(() => Stream.empty)))
    })
  )

/**
 * A snapshot of a session, and its events from a number on without a gap. Fails where the session is not there, or where the
 * number is beyond its next event: then what the reader has is of another session or store.
 */
export const sessionFrames = (
  session: string,
  from: number
): Effect.Effect<Stream.Stream<Frame, never, Runtime>, NotFound | Gone | Failed, Runtime | SessionStore | Approvals> =>
  Effect.gen(function* () {
    const store = yield* SessionStore
    const runtime = yield* Runtime
    const { head } = yield* ofSession(store.get(session))
    if (from > head + 1) {
      return yield* new Gone({ message: `Session ${session} ends at event ${head}; read it from there on.`, head })
    }
    const partial = yield* runtime.partial(session)
    const detail = yield* ofSession(detailOf(session))
    const frames = Stream.mapChunks(sessionEvents(session, from), (chunk) =>
      Chunk.map(chunk, isBehind(chunk) ? ownFrameOf : frameOf)
    )
    return Stream.concat(Stream.succeed(snapshotOf(detail, partial)), frames)
  })
