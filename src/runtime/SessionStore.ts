import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Change } from "../conversation/Change.ts"
import type { StoredMessage } from "../conversation/Message.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import type { Usage } from "../model/ModelPart.ts"
import type { ApprovalRequest } from "../tool/ApprovalRequest.ts"
import type { Envelope } from "./Envelope.ts"
import type { EventTag } from "./Event.ts"
import type { Rewound } from "./Rewound.ts"
import type { Open, Projection, SessionSummary } from "./Projection.ts"
import type { Selection, SessionFilter } from "./Selection.ts"

export class SessionNotFound extends Schema.TaggedError<SessionNotFound>()("SessionNotFound", {
  session: Schema.String
}) {
  override get message() {
    return `Session ${this.session === "" ? '""' : this.session} does not exist.`
  }
}

/** A living process has the session open, this one or another. */
export class SessionBusy extends Schema.TaggedError<SessionBusy>()("SessionBusy", {
  session: Schema.String,
  pid: Schema.Number
}) {
  override get message() {
    const [where, end] =
      this.pid === process.pid
        ? ["by another runtime of this process", "end it there"]
        : [`in process ${this.pid}`, `end that process (kill ${this.pid})`]
    return `Session ${this.session} is open ${where}; nothing was changed. Wait until it ends, ${end}, or start a new session.`
  }
}

/** Another owner has taken the session over; nothing more is written by this one. */
export class SessionFenced extends Schema.TaggedError<SessionFenced>()("SessionFenced", {
  session: Schema.String,
  epoch: Schema.Number
}) {
  override get message() {
    return `Session ${this.session} was taken over by another process; this process no longer writes to it.`
  }
}

/** Requests of the session wait for an answer, or for its task to go on by the answer that they have; nothing was changed. */
export class SessionWaits extends Schema.TaggedError<SessionWaits>()("SessionWaits", {
  session: Schema.String,
  requests: Schema.Number,
  /** How many of them have an answer that lies ready. */
  answered: Schema.Number
}) {
  override get message() {
    if (this.answered >= this.requests) {
      return `Session ${this.session} has an answer that its task has not gone on by yet; nothing was changed. Let it go on first.`
    }
    const what = this.requests === 1 ? "an approval request that waits" : `${this.requests} approval requests that wait`
    return `Session ${this.session} has ${what} for an answer; nothing was changed. Answer first.`
  }
}

/**
 * The right to write to a session, exclusive while its owner lives. Every append is also conditional on the epoch, so
 * an older owner that is still running writes nothing.
 */
export interface Lease {
  readonly session: string
  readonly epoch: number
  readonly head: number
  /** Nothing is recorded yet, also where its first owner died before that. */
  readonly created: boolean
  readonly project: string
  readonly profile: string
}

export interface OpenOptions {
  readonly session: string
  /** Creates the session if it does not exist. */
  readonly create?: { readonly project: string; readonly profile: string; readonly time: number }
}

/** The events of a session that are copied. */
export interface Origin {
  readonly session: string
  /** The number of the last of them. */
  readonly last: number
}

/** What a dead owner left behind. */
export type Unfinished = Pick<Open, "tasks" | "calls" | "requests">

/** An open request of a running task; the owner of its session may be alive or dead. */
export interface WaitingApproval {
  readonly project: string
  readonly request: ApprovalRequest
}

/** How a living process lets go of a session that another one wants; there is one owner at any time, or none. */
export interface Handover {
  /** The process that has the session open, if it lives. */
  readonly owner: (session: string) => Effect.Effect<number | undefined, DatabaseError>
  /** Asks the owner, and gives the process that it was once there is none; fails where the owner does not let go in time. */
  readonly request: (session: string) => Effect.Effect<number | undefined, SessionBusy | DatabaseError>
  /** Waits until another process asks for a session that is open here. */
  readonly requested: (session: string) => Effect.Effect<void>
  /** The process that has asked for it. */
  readonly takenBy: (session: string) => number | undefined
}

/** Where sessions are kept; made of a `SessionDriver`: SQLite, memory, or one of the user's. */
export class SessionStore extends Context.Tag("tollgate/runtime/SessionStore")<
  SessionStore,
  {
    /** Takes the session, until the scope ends, unless a living owner has it: the epoch grows by one. */
    readonly open: (
      options: OpenOptions
    ) => Effect.Effect<Lease, SessionNotFound | SessionBusy | DatabaseError, Scope.Scope>
    /** Returns once what follows from an event at once has happened as well; unset where to append both together saves nothing. */
    readonly gather?: Effect.Effect<void>
    /** Durable events only, in order; durable when it returns. */
    readonly append: (
      lease: Lease,
      events: ReadonlyArray<Envelope>
    ) => Effect.Effect<void, SessionFenced | DatabaseError>
    /**
     * Fills a session without events with the first ones of another, without the ids of the commands that they answered, and with those
     * that `finish` puts behind them, given what the copied ones come to: all or none. Gives those of `finish`.
     */
    readonly copy: <E>(
      lease: Lease,
      origin: Origin,
      finish: (copied: Projection) => Effect.Effect<ReadonlyArray<Envelope>, E>
    ) => Effect.Effect<ReadonlyArray<Envelope>, E | SessionFenced | DatabaseError>
    /** Deletes the session and all that was derived from it. */
    readonly delete: (lease: Lease) => Effect.Effect<void, SessionFenced | DatabaseError>
    /** The bytes of its events. */
    readonly size: (session: string) => Effect.Effect<number, DatabaseError>
    /** Its events that no longer count, because it was rewound. */
    readonly rewound: (session: string) => Effect.Effect<ReadonlyArray<Rewound>, DatabaseError>
    /** Its durable events of these tags from number `from` on; 1 if unset. */
    readonly tagged: (
      session: string,
      tags: ReadonlyArray<EventTag>,
      from?: number
    ) => Effect.Effect<ReadonlyArray<Envelope>, DatabaseError>
    /** At most `limit` durable events from number `from` on. */
    readonly read: (
      session: string,
      from: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Envelope>, DatabaseError>
    /** The durable events of some tasks, and what else is named, in order. */
    readonly ofTasks: (
      session: string,
      which: Selection & Required<Pick<Selection, "tasks">>
    ) => Effect.Effect<ReadonlyArray<Envelope>, DatabaseError>
    /** What the answers to a worker of a task have used so far, those to its sub-workers included. */
    readonly used: (session: string, task: string, worker: ReadonlyArray<string>) => Effect.Effect<Usage, DatabaseError>
    readonly get: (session: string) => Effect.Effect<SessionSummary, SessionNotFound | DatabaseError>
    /** The latest first. */
    readonly list: (
      filter: SessionFilter & { readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<SessionSummary>, DatabaseError>
    /**
     * What the last `limit` events that may change the conversation of the root worker change in it, as far as the model may
     * still see it, in order: fewer than `limit` where some of them change nothing.
     */
    readonly changes: (session: string, limit: number) => Effect.Effect<ReadonlyArray<Change>, DatabaseError>
    /** The messages that they leave. */
    readonly messages: (session: string, limit: number) => Effect.Effect<ReadonlyArray<StoredMessage>, DatabaseError>
    /** The same of a sub-worker of a task. */
    readonly workerChanges: (
      session: string,
      of: { readonly task: string; readonly worker: ReadonlyArray<string>; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<Change>, DatabaseError>
    readonly unfinished: (session: string) => Effect.Effect<Unfinished, DatabaseError>
    /** At most `limit` of all sessions, the oldest first. */
    readonly waiting: (limit: number) => Effect.Effect<ReadonlyArray<WaitingApproval>, DatabaseError>
    /** The first event that answers a command of that id. */
    readonly answer: (session: string, commandId: string) => Effect.Effect<Option.Option<Envelope>, DatabaseError>
    /** Whether the session has had a task of that id. */
    readonly hasTask: (session: string, task: string) => Effect.Effect<boolean, DatabaseError>
    /** How a session passes from one process to another; unset where no other process can have it. */
    readonly handover?: Handover
  }
>() {}
