import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { Meter } from "../agent/Meter.ts"
import { messagesOf } from "../conversation/Change.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import * as Pace from "../system/Pace.ts"
import { root } from "../tool/WorkerPath.ts"
import { letGo } from "./letGo.ts"
import type { Envelope } from "./Envelope.ts"
import type { Event } from "./Event.ts"
import { changeOf, conversationTags, type Projection, step } from "./Projection.ts"
import { rewoundBy } from "./Rewound.ts"
import type { Selection, SessionFilter } from "./Selection.ts"
import {
  type Handover,
  type Lease,
  type OpenOptions,
  type Origin,
  type SessionBusy,
  SessionFenced,
  type SessionNotFound,
  type SessionStore
} from "./SessionStore.ts"
import { answered, passing, settled } from "./storeFailure.ts"

/** What a place to keep sessions in has to do; all else follows from the events. */
export interface SessionDriver {
  /** Takes the session, until the scope ends, unless a living owner has it: the epoch grows by one. */
  readonly open: (
    options: OpenOptions
  ) => Effect.Effect<Lease, SessionNotFound | SessionBusy | DatabaseError, Scope.Scope>
  /**
   * Appends all of the events or none, with what the log comes to by then, where the lease has the session's epoch; durable
   * when it returns.
   */
  readonly append: (
    lease: Lease,
    events: ReadonlyArray<Envelope>,
    projection: Projection
  ) => Effect.Effect<void, SessionFenced | DatabaseError>
  /**
   * Copies the first events of another session, without the ids of the commands that they answered, and appends some behind them: all or
   * none, without holding them together in memory. If unset, they are read and appended at once.
   */
  readonly copy?: (
    lease: Lease,
    origin: Origin,
    events: ReadonlyArray<Envelope>,
    projection: Projection
  ) => Effect.Effect<void, SessionFenced | DatabaseError>
  /** Deletes the session and all that was derived from it, where the lease has its epoch. */
  readonly delete: (lease: Lease) => Effect.Effect<void, SessionFenced | DatabaseError>
  /** The bytes of its events. */
  readonly size: (session: string) => Effect.Effect<number, DatabaseError>
  readonly select: (session: string, which: Selection) => Effect.Effect<ReadonlyArray<Envelope>, DatabaseError>
  readonly get: (session: string) => Effect.Effect<Projection, SessionNotFound | DatabaseError>
  readonly list: (filter: SessionFilter) => Effect.Effect<ReadonlyArray<Projection>, DatabaseError>
  /** Waits for more events to append together; unset where that saves nothing. */
  readonly gather?: Effect.Effect<void>
  /** How a session passes from one process to another; unset where no other process can have it. */
  readonly handover?: Handover
}

/** Events of another session that are read at once. */
const page = 200

/** The event without the id of the command that it answered, which was one of the other session. */
const unanswering = (event: Event): Event => {
  if (event._tag === "UnknownEvent" || !("commandId" in event)) return event
  const { commandId: _, ...rest } = event
  return rest as Event
}

/** The store over a driver. */
export const toStore = (driver: SessionDriver): SessionStore["Type"] => {
  const get: SessionDriver["get"] = (session) => answered("get", () => driver.get(session))
  const list: SessionDriver["list"] = (filter) => answered("list", () => driver.list(filter))
  const select: SessionDriver["select"] = (session, which) => answered("select", () => driver.select(session, which))
  /** What was appended by each lease so far. */
  const projections = new WeakMap<Lease, Projection>()
  const before = (lease: Lease, head: number): Effect.Effect<Projection, SessionFenced | DatabaseError> => {
    const known = projections.get(lease)
    if (known?.summary.head === head) return Effect.succeed(known)
    const { epoch, session } = lease
    return Effect.catchTag(get(session), "SessionNotFound", () => new SessionFenced({ session, epoch }))
  }
  const find = (session: string) => Effect.catchTag(get(session), "SessionNotFound", () => Effect.succeed(undefined))
  const rewound = (session: string) => Effect.map(select(session, { tags: ["SessionRewound"] }), rewoundBy)
  const changesOf = (session: string, which: Selection) =>
    Effect.map(select(session, { tags: conversationTags, last: true, ...which }), (found) =>
      found.flatMap(({ event }) => changeOf(event) ?? [])
    )
  const changes = (session: string, limit: number) =>
    Effect.flatMap(find(session), (found) =>
      found === undefined
        ? Effect.succeed([])
        : Effect.flatMap(rewound(session), (except) => {
            const which = { from: found.open.visibleFrom, worker: root, limit }
            return changesOf(session, except.length === 0 ? which : { ...which, except })
          })
    )
  return {
    ...(driver.handover === undefined ? {} : { handover: passing(driver.handover) }),
    ...(driver.gather === undefined ? {} : { gather: driver.gather }),
    open: (options) =>
      Effect.flatMap(letGo("The session store", `session ${options.session}`), (own) =>
        answered("open", () => Scope.extend(driver.open(options), own))
      ),
    append: (lease, events) =>
      Effect.suspend(() => {
        const [first] = events
        if (first === undefined) return Effect.void
        return Effect.flatMap(before(lease, first.seq - 1), (projection) => {
          const after = events.reduce(step, projection)
          return Effect.map(driver.append(lease, events, after), () => void projections.set(lease, after))
        })
      }),
    copy: (lease, origin, finish) =>
      Effect.gen(function* () {
        const kept: Array<Envelope> = []
        const pace = Pace.make()
        let copied = yield* before(lease, lease.head)
        while (copied.summary.head < origin.last) {
          const from = copied.summary.head + 1
          const found = yield* select(origin.session, { from, limit: Math.min(page, origin.last + 1 - from) })
          if (found.length === 0) break
          const { session } = lease
          const copies = found.map((one): Envelope => ({ ...one, session, event: unanswering(one.event) }))
          copied = copies.reduce(step, copied)
          if (driver.copy === undefined) kept.push(...copies)
          yield* pace
        }
        const events = yield* finish(copied)
        const after = events.reduce(step, copied)
        yield* settled("copy", () =>
          driver.copy === undefined
            ? driver.append(lease, [...kept, ...events], after)
            : driver.copy(lease, origin, events, after)
        )
        projections.set(lease, after)
        return events
      }),
    delete: (lease) =>
      Effect.map(
        settled("delete", () => driver.delete(lease)),
        () => void projections.delete(lease)
      ),
    size: (session) => answered("size", () => driver.size(session)),
    rewound,
    tagged: (session, tags, from = 1) => select(session, { tags, from }),
    read: (session, from, limit) => select(session, { from, limit }),
    ofTasks: select,
    used: (session, task, within) =>
      Effect.map(select(session, { tasks: [task], tags: ["ModelAnswered"], within }), (answers) => {
        const meter = new Meter()
        for (const { event } of answers) if (event._tag === "ModelAnswered") meter.add(event.usage)
        return meter.usage
      }),
    get: (session) => Effect.map(get(session), ({ summary }) => summary),
    list: (filter) => Effect.map(list(filter), (found) => found.map(({ summary }) => summary)),
    changes,
    messages: (session, limit) => Effect.map(changes(session, limit), messagesOf),
    workerChanges: (session, { limit, task, worker }) => changesOf(session, { tasks: [task], worker, limit }),
    unfinished: (session) =>
      Effect.map(find(session), (found) => found?.open ?? { tasks: [], calls: [], requests: [] }),
    waiting: (limit) =>
      Effect.flatMap(list({ waiting: true }), (found) =>
        Effect.map(
          Effect.forEach(
            found
              .flatMap(({ open, summary }) => open.requests.map((request) => ({ ...request, ...summary })))
              .toSorted((a, b) => a.time - b.time || a.seq - b.seq)
              .slice(0, limit),
            ({ id, project, seq }) =>
              Effect.map(select(id, { from: seq, tags: ["ApprovalRequested"], limit: 1 }), ([asked]) =>
                asked?.event._tag === "ApprovalRequested" ? [{ project, request: asked.event.request }] : []
              )
          ),
          (waiting) => waiting.flat()
        )
      ),
    answer: (session, commandId) =>
      Effect.map(select(session, { commandId, limit: 1 }), ([found]) => Option.fromNullable(found)),
    hasTask: (session, task) =>
      Effect.map(select(session, { tasks: [task], tags: ["TaskQueued"], limit: 1 }), (found) => found.length > 0)
  }
}
