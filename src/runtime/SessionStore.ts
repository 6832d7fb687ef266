import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { StoredMessage } from "../conversation/Message.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import type { Usage } from "../model/ModelPart.ts"
import type { ApprovalRequest } from "../tool/ApprovalRequest.ts"
import type { Envelope } from "./Envelope.ts"
import type { EventTag } from "./Event.ts"

export class SessionNotFound extends Schema.TaggedError<SessionNotFound>()("SessionNotFound", {
  session: Schema.String
}) {
  override get message() {
    return `There is no session ${this.session}.`
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
    return `Session ${this.session} is open ${where}; nothing was changed. Wait until it is done, ${end}, or start a new session.`
  }
}

/** Another owner has taken the session over; nothing more is written by this one. */
export class SessionFenced extends Schema.TaggedError<SessionFenced>()("SessionFenced", {
  session: Schema.String,
  epoch: Schema.Number
}) {
  override get message() {
    return `Session ${this.session} has been taken over by another process; this one has stopped writing to it.`
  }
}

export interface SessionSummary {
  readonly id: string
  readonly project: string
  readonly profile: string
  /** The beginning of the first prompt. */
  readonly title: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly updatedAt: number
  readonly status: "open" | "ended"
  /** The number of its last event. */
  readonly head: number
}

/**
 * The right to write to a session, which nobody else gets while its owner lives. Every append is conditional on the epoch as
 * well, so that an older owner is harmless even where nobody could see that it lives.
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
  /** Makes the session where there is none. */
  readonly create?: { readonly project: string; readonly profile: string; readonly time: number }
}

/** What a dead owner left behind. */
export interface Unfinished {
  readonly tasks: ReadonlyArray<string>
  readonly calls: ReadonlyArray<UnfinishedCall>
}

export interface UnfinishedCall {
  readonly task: string
  readonly iteration: number
  readonly worker: ReadonlyArray<string>
  readonly callId: string
  readonly tool: string
  /** Whether its handler may have run and changed something. */
  readonly mayHaveHappened: boolean
  /** Whether a person asked for it, instead of the model. */
  readonly byUser: boolean
}

/** A request that nobody has answered, of a task that has not ended; whoever owns its session may be alive or dead. */
export interface WaitingApproval {
  readonly project: string
  readonly request: ApprovalRequest
}

/** Where sessions are kept. One contract, two layers: SQLite, and memory for tests. */
export class SessionStore extends Context.Tag("tollgate/runtime/SessionStore")<
  SessionStore,
  {
    /** Takes the session, until the scope ends, unless a living owner has it: the epoch grows by one. */
    readonly open: (
      options: OpenOptions
    ) => Effect.Effect<Lease, SessionNotFound | SessionBusy | DatabaseError, Scope.Scope>
    /** Durable events only, in order; durable when it returns. */
    readonly append: (
      lease: Lease,
      events: ReadonlyArray<Envelope>
    ) => Effect.Effect<void, SessionFenced | DatabaseError>
    /** At most `limit` durable events from number `from` on. */
    readonly read: (
      session: string,
      from: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Envelope>, DatabaseError>
    /** The durable events of some tasks that have one of the tags, and what else is named, in order. */
    readonly ofTasks: (
      session: string,
      which: {
        readonly tasks: ReadonlyArray<string>
        readonly tags: ReadonlyArray<EventTag>
        readonly iterations?: ReadonlyArray<number>
        /** Only those of the worker at this path and of those below it. */
        readonly within?: ReadonlyArray<string>
      }
    ) => Effect.Effect<ReadonlyArray<Envelope>, DatabaseError>
    /** What the answers to a worker of a task have used so far, those to its sub-workers included. */
    readonly used: (session: string, task: string, worker: ReadonlyArray<string>) => Effect.Effect<Usage, DatabaseError>
    readonly get: (session: string) => Effect.Effect<SessionSummary, SessionNotFound | DatabaseError>
    /** The latest first. */
    readonly list: (filter: {
      readonly project?: string
      /** What their ids begin with. */
      readonly beginning?: string
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<SessionSummary>, DatabaseError>
    /** The last `limit` messages of the root worker that the model may still see, in order. */
    readonly messages: (session: string, limit: number) => Effect.Effect<ReadonlyArray<StoredMessage>, DatabaseError>
    /** The last `limit` messages of a sub-worker of a task, in order. */
    readonly workerMessages: (
      session: string,
      of: { readonly task: string; readonly worker: ReadonlyArray<string>; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<StoredMessage>, DatabaseError>
    readonly unfinished: (session: string) => Effect.Effect<Unfinished, DatabaseError>
    /** At most `limit` of all sessions, the oldest first. */
    readonly waiting: (limit: number) => Effect.Effect<ReadonlyArray<WaitingApproval>, DatabaseError>
    /** The first event that answers a command of that id. */
    readonly answer: (session: string, commandId: string) => Effect.Effect<Option.Option<Envelope>, DatabaseError>
    /** Whether the session has had a task of that id. */
    readonly hasTask: (session: string, task: string) => Effect.Effect<boolean, DatabaseError>
  }
>() {}
