import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { logCrash } from "../redaction/logCrash.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { endsWithin } from "../system/endsWithin.ts"
import { Closing, patience } from "./Closing.ts"
import { Channels } from "./Channels.ts"
import { DeltaCursor } from "./DeltaCursor.ts"
import { type Envelope, type Place, schemaVersion } from "./Envelope.ts"
import { type DurableEvent, type Event, isTransient } from "./Event.ts"
import { LogTail, type TailLimits } from "./LogTail.ts"
import { redactEvent } from "./redactEvent.ts"
import type { Lease, SessionStore } from "./SessionStore.ts"
import { crashed, gathering, isTyped, type LogError, unanswered } from "./storeFailure.ts"

export interface Subscription {
  /** The first durable event to deliver, a whole number; 1 is the beginning. */
  readonly from: number
  /** Include deltas. Default: true. */
  readonly transient?: boolean
  /** Continue with new events. Default: true. */
  readonly follow?: boolean
  /** Events that are handed over at a time, at most; what a reader that stalls holds. Default: 256. */
  readonly page?: number
}

/**
 * The log of one session. The store is the truth, its tail is kept at hand, and a subscriber is a cursor: a slow one
 * costs nothing, and it can start at any number without gap or duplicate. An event is redacted before it is stored and
 * visible once it is committed.
 */
export interface EventLog {
  readonly lease: Lease
  /** The number of the last durable, visible event. */
  readonly head: () => number
  /** Suspends only while the store is behind, never because of a subscriber. */
  readonly emit: (event: Event, place: Place) => Effect.Effect<void>
  /** Several durable events in one transaction. */
  readonly emitAll: (events: ReadonlyArray<DurableEvent>, place: Place) => Effect.Effect<void>
  /** Returns once the event is durable; dies where the store has failed. */
  readonly commit: (event: DurableEvent, place: Place) => Effect.Effect<void>
  readonly subscribe: (subscription: Subscription) => Stream.Stream<Envelope, LogError>
  /** Tells of each durable event from a number on until `hear` says that it has heard enough, or the log ends. */
  readonly follow: (from: number, hear: (envelope: Envelope) => boolean) => Effect.Effect<void, LogError>
  /** What the open sources of deltas have said so far, each in one piece. */
  readonly partial: () => ReadonlyArray<Envelope>
  /** Fails when the store does; nothing is written from then on. */
  readonly failure: Effect.Effect<never, LogError>
  readonly failed: () => Option.Option<Cause.Cause<LogError>>
  /** Commits what is pending and ends every subscription; a store that does not answer is waited for for 30 seconds. */
  readonly close: Effect.Effect<void>
}

/** Events that may wait for the store before `emit` does. */
const maxPending = 1024
/** At least twice `maxPending` events, or a live subscriber would be sent to the store. */
const kept: TailLimits = { events: 4 * maxPending, text: 16 * 1024 * 1024 }
/** Events that are handed over at a time, where nothing else is asked for. */
export const chunkSize = 256

/** A log; `published` is called with each durable event once it is visible. */
export const make = (
  lease: Lease,
  store: SessionStore["Type"],
  published: (envelope: Envelope) => void = () => undefined
): Effect.Effect<EventLog, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Effect.clock
    const failure = yield* Deferred.make<never, LogError>()
    const redactor = yield* Redactor
    const { bounded } = yield* Closing
    const channels = new Channels(redactor)
    const gather = gathering(store)
    let head = lease.head
    let next = head + 1
    const tail = new LogTail(next, kept)
    let pending: Array<Envelope> = []
    let failed: Cause.Cause<LogError> | undefined
    let closed = false
    let storing = false
    const wake = Effect.unsafeMakeLatch(false)
    const room = Effect.unsafeMakeLatch(true)
    /** Replaced on every move: a reader that takes it before it looks misses none. */
    let moved = Effect.unsafeMakeLatch(false)

    const notify = () => {
      const waiting = moved
      moved = Effect.unsafeMakeLatch(false)
      waiting.unsafeOpen()
    }
    const push = (event: Event, place: Place): void => {
      if (closed || failed !== undefined) return
      if (isTransient(event)) channels.push(event, place, next - 1)
      else {
        const seq = next++
        channels.close(event, place, seq)
        pending.push({
          version: schemaVersion,
          seq,
          time: clock.unsafeCurrentTimeMillis(),
          session: lease.session,
          ...place,
          event: redactEvent(event, redactor)
        })
        if (pending.length >= maxPending) room.unsafeClose()
      }
      wake.unsafeOpen()
    }
    /** A store that takes nothing does not keep the runtime from its end. */
    const roomy = Effect.suspend(() =>
      bounded(
        room.await,
        Effect.sync(() => {
          fail(Cause.fail(unanswered))
          notify()
        })
      )
    )
    const whenRoom = <A, E>(self: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.suspend(() => (pending.length < maxPending ? self : Effect.zipRight(roomy, whenRoom(self))))

    const emit = (event: Event, place: Place): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (pending.length >= maxPending && !isTransient(event)) return Effect.zipRight(roomy, emit(event, place))
        push(event, place)
        return Effect.void
      })

    const publish = (batch: ReadonlyArray<Envelope>) => {
      tail.push(batch)
      head = batch[batch.length - 1]?.seq ?? head
      for (const envelope of batch) published(envelope)
    }
    const fail = (cause: Cause.Cause<LogError>) => {
      if (failed !== undefined) return
      failed = cause
      pending = []
      room.unsafeOpen()
      Deferred.unsafeDone(failure, Exit.failCause(cause))
    }
    const drain = (append: typeof store.append): Effect.Effect<void> =>
      Effect.suspend(() => {
        const batch = pending
        if (batch.length === 0) return Effect.sync(notify)
        pending = []
        room.unsafeOpen()
        storing = true
        // A defect counts as well: a log without its end would wait forever.
        return Effect.flatMap(Effect.exit(Effect.suspend(() => append(lease, batch))), (result) => {
          storing = false
          const settled = Effect.sync(() => {
            if (Exit.isSuccess(result) && failed === undefined) publish(batch)
            else if (Exit.isFailure(result)) fail(isTyped(result.cause) ? result.cause : Cause.fail(crashed))
            notify()
          })
          return Exit.isSuccess(result) || isTyped(result.cause) || failed !== undefined
            ? settled
            : Effect.zipRight(logCrash("The session store crashed", result.cause), settled)
        })
      })
    const one = Effect.unsafeMakeSemaphore(1)
    const flush = Effect.uninterruptible(one.withPermits(1)(drain(store.append)))
    /** Goes on until it is stored, or until the end of a log that has not waited for it any longer. */
    const flushing = Effect.uninterruptibleMask((restore) =>
      one.withPermits(1)(drain((...batch) => restore(store.append(...batch))))
    )
    const writing = wake.await.pipe(
      Effect.zipRight(Effect.yieldNow()),
      // Deltas are told at once.
      Effect.zipRight(Effect.suspend(() => (pending.length === 0 ? Effect.void : gather))),
      Effect.zipRight(Effect.sync(() => wake.unsafeClose())),
      Effect.zipRight(flushing),
      Effect.forever,
      Effect.interruptible
    )
    // Told to stop and not waited for, once the log is closed: a store that cannot be interrupted would hold it.
    yield* Effect.acquireRelease(Effect.forkDaemon(writing), Fiber.interruptFork)

    const commit = (event: DurableEvent, place: Place) =>
      whenRoom(
        Effect.suspend(() => {
          push(event, place)
          const seq = next - 1
          const settled: Effect.Effect<void> = Effect.suspend(() => {
            const signal = moved
            return failed !== undefined
              ? Effect.die(Cause.squash(failed))
              : head >= seq
                ? Effect.void
                : Effect.zipRight(signal.await, settled)
          })
          return settled
        })
      )
    const close = Effect.uninterruptible(
      Effect.flatMap(
        Effect.suspend(() =>
          closed || (pending.length === 0 && !storing) ? Effect.succeed(true) : endsWithin(flush, patience)
        ),
        (inTime) => {
          closed = true
          if (!inTime) fail(Cause.fail(unanswered))
          notify()
          return inTime ? Effect.void : Effect.logError(unanswered.message)
        }
      )
    )
    /** A reader that lags behind the tail reads from the store. */
    const forget = Effect.sync(() => {
      tail.clear()
      channels.clear()
    })
    yield* Effect.addFinalizer(() => Effect.zipRight(close, forget))

    const subscribe = ({ follow = true, from, page: size = chunkSize, transient = true }: Subscription) =>
      Stream.suspend(() => {
        const deltas = new DeltaCursor(channels, lease.session, clock)
        let live = from > head
        const until = follow ? Infinity : head
        type Page = readonly [Chunk.Chunk<Envelope>, Option.Option<number>]
        const page = (batch: ReadonlyArray<Envelope>, cursor: number): Page => [
          Chunk.unsafeFromArray(batch),
          Option.some(cursor)
        ]
        const end: Page = [Chunk.empty(), Option.none()]
        const step = (cursor: number): Effect.Effect<Page, LogError> =>
          Effect.suspend(() => {
            const signal = moved
            if (cursor > until) return Effect.succeed(end)
            if (cursor <= head) {
              const to = Math.min(head, until, cursor + size - 1)
              return cursor >= tail.base
                ? Effect.succeed(
                    page(live && transient ? deltas.around(tail.slice(cursor, to)) : tail.slice(cursor, to), to + 1)
                  )
                : Effect.map(store.read(lease.session, cursor, Math.min(size, to + 1 - cursor)), (batch) =>
                    page(batch, (batch[batch.length - 1]?.seq ?? to) + 1)
                  )
            }
            live = true
            const said = transient ? deltas.since(cursor - 1) : []
            if (said.length > 0) return Effect.succeed(page(said, cursor))
            if (failed !== undefined) return Effect.failCause(failed)
            if (closed) return Effect.succeed(end)
            return Effect.zipRight(signal.await, step(cursor))
          })
        return Stream.paginateChunkEffect(Math.max(1, from), step)
      })

    const follow = (from: number, hear: (envelope: Envelope) => boolean) => {
      let cursor = Math.max(1, from)
      /** False once it has been enough. */
      const told = (batch: ReadonlyArray<Envelope>): boolean =>
        batch.every((envelope) => {
          cursor = envelope.seq + 1
          return hear(envelope)
        })
      const step: Effect.Effect<void, LogError> = Effect.suspend(() => {
        const signal = moved
        if (cursor <= head) {
          if (cursor >= tail.base) return told(tail.slice(cursor)) ? step : Effect.void
          const read = store.read(lease.session, cursor, chunkSize)
          return Effect.flatMap(read, (batch) => (batch.length > 0 && told(batch) ? step : Effect.void))
        }
        if (failed !== undefined) return Effect.failCause(failed)
        return closed ? Effect.void : Effect.zipRight(signal.await, step)
      })
      return step
    }

    return {
      lease,
      head: () => head,
      emit,
      emitAll: (events, place) =>
        whenRoom(
          Effect.sync(() => {
            for (const event of events) push(event, place)
          })
        ),
      commit,
      subscribe,
      follow,
      partial: () => new DeltaCursor(channels, lease.session, clock).since(head),
      failure: Deferred.await(failure),
      failed: () => Option.fromNullable(failed),
      close
    }
  })
