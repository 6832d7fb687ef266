import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Approvals } from "../approval/Approvals.ts"
import type { Envelope } from "../runtime/Envelope.ts"
import { runtimeSession } from "../runtime/OwnLog.ts"
import { Runtime } from "../runtime/Runtime.ts"
import { SessionStore } from "../runtime/SessionStore.ts"
import { visibleJson } from "../text/visible.ts"
import { WaitingApproval } from "./ApiSchema.ts"
import { type Frame, feedFrameOf } from "./Frame.ts"
import { waiting } from "./SessionInfo.ts"

/** Events that a reader may have missed and still gets; where they are read again, they cost nobody memory. */
const kept = 8192

/** Events that are handed over at a time. */
const page = 64

/** How often the requests of other processes are looked for, while somebody watches. */
const glance = "500 millis"

/** An event that happened here: the log of its session has it, but for those of the runtime itself. */
interface Happened {
  readonly session: string
  readonly seq: number
  readonly envelope: { readonly deref: () => Envelope | undefined }
}

const encodeWaiting = Schema.encodeSync(Schema.Array(WaitingApproval))

/** What changes the queue of approvals. */
const moving: ReadonlySet<string> = new Set([
  "ApprovalRequested",
  "ApprovalResolved",
  "ApprovalMoved",
  "SessionResumed",
  "SessionSuspended",
  "SessionEnded",
  "TaskCompleted",
  "TaskFailed",
  "TaskInterrupted"
])

/**
 * What happens in all sessions that are open here, in one stream without deltas, and the open requests of all processes. Events
 * are numbered anew: the numbers grow from one start of the server to the next.
 */
export class Feed extends Context.Tag("tollgate/server/Feed")<
  Feed,
  {
    /** A snapshot, and what follows a number, or now. Its `resumed` says whether nothing is missing in between. */
    readonly frames: (after: number | undefined) => Stream.Stream<Frame>
  }
>() {
  static readonly layer: Layer.Layer<Feed, never, Runtime | SessionStore | Approvals> = Layer.scoped(
    Feed,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const runtime = yield* Runtime
  const store = yield* SessionStore
  const approvals = yield* Approvals
  const open = Effect.map(
    waiting.pipe(Effect.provideService(SessionStore, store), Effect.provideService(Approvals, approvals)),
    (found) => visibleJson(JSON.stringify(encodeWaiting(found)))
  )
  /** The number of the last event, and of the one before the first that is kept. */
  let head = (yield* Clock.currentTimeMillis) * 1000
  let base = head
  let ring: Array<Happened> = []
  let readers = 0
  /** The open requests as JSON, and how often they have changed. */
  let requests = { json: "[]", version: 0 }
  let moved = Effect.unsafeMakeLatch(false)
  let nudged = Effect.unsafeMakeLatch(false)
  const notify = () => {
    const waiting = moved
    moved = Effect.unsafeMakeLatch(false)
    waiting.unsafeOpen()
  }

  const push = (envelope: Envelope): void => {
    const { event, seq, session, transient } = envelope
    if (transient === true) return
    head += 1
    ring.push({
      session,
      seq,
      envelope: session === runtimeSession ? { deref: () => envelope } : new WeakRef(envelope)
    })
    if (ring.length > 2 * kept) {
      base += ring.length - kept
      ring = ring.slice(-kept)
    }
    if (moving.has(event._tag)) nudged.unsafeOpen()
  }
  const events = yield* runtime.events
  yield* Effect.forkScoped(
    Stream.runForEachChunk(events, (chunk) =>
      Effect.sync(() => {
        for (const envelope of chunk) push(envelope)
        notify()
      })
    )
  )

  /** Looks what waits; a store that cannot be read is looked at again. */
  const look = Effect.map(Effect.option(open), (found) => {
    if (Option.isNone(found) || found.value === requests.json) return
    requests = { json: found.value, version: requests.version + 1 }
    notify()
  })
  const one = yield* Effect.makeSemaphore(1)
  let begun = 0
  /** The same once for all who ask while one is under way: it has to have begun after they did. */
  const looked = Effect.suspend(() => {
    const least = begun + 1
    return one.withPermits(1)(
      Effect.suspend(() => {
        if (begun >= least) return Effect.void
        begun += 1
        return look
      })
    )
  })
  yield* Effect.suspend(() => {
    nudged.unsafeClose()
    const look_ = readers > 0 ? looked : Effect.void
    return Effect.zipRight(look_, Effect.raceFirst(Effect.sleep(glance), nudged.await))
  }).pipe(Effect.forever, Effect.forkScoped)

  const found = ({ envelope, seq, session }: Happened): Effect.Effect<ReadonlyArray<Envelope>> => {
    const known = envelope.deref()
    return known === undefined ? Effect.orElseSucceed(store.read(session, seq, 1), () => []) : Effect.succeed([known])
  }
  interface Position {
    readonly after: number
    readonly version: number
  }
  type Page = readonly [Chunk.Chunk<Frame>, Option.Option<Position>]
  const snapshot = (after: number, resumed: boolean): Frame => ({
    event: "snapshot",
    data: `{"after":${after},"resumed":${resumed},"approvals":${requests.json}}`
  })
  const step = ({ after, version }: Position): Effect.Effect<Page> =>
    Effect.suspend(() => {
      const signal = moved
      // Who was away for too long begins anew.
      if (after < base)
        return Effect.succeed([
          Chunk.of(snapshot(head, false)),
          Option.some({ after: head, version: requests.version })
        ] as const)
      if (after < head) {
        const next = ring.slice(after - base, after - base + page)
        return Effect.map(Effect.forEach(next, found), (all): Page => [
          Chunk.unsafeFromArray(
            all.flatMap((one, index) => one.map((envelope) => feedFrameOf(after + 1 + index, envelope)))
          ),
          Option.some({ after: after + next.length, version })
        ])
      }
      if (version !== requests.version) {
        const frame: Frame = { event: "approvals", data: requests.json }
        return Effect.succeed([Chunk.of(frame), Option.some({ after, version: requests.version })] as const)
      }
      return Effect.zipRight(signal.await, step({ after, version }))
    })

  return Feed.of({
    frames: (given) =>
      Stream.unwrapScoped(
        Effect.gen(function* () {
          yield* Effect.acquireRelease(
            Effect.sync(() => (readers += 1)),
            () => Effect.sync(() => (readers -= 1))
          )
          yield* looked
          const resumed = given !== undefined && given >= base && given <= head
          const after = resumed ? given : head
          return Stream.concat(
            Stream.succeed(snapshot(after, resumed)),
            Stream.paginateChunkEffect({ after, version: requests.version }, step)
          )
        })
      )
  })
})
