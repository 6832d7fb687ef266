import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { AnswerBoxFailed } from "../approval/AnswerBox.ts"
import { Approvals } from "../approval/Approvals.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import { openRequests } from "../runtime/openRequests.ts"
import { type SessionNotFound, SessionStore } from "../runtime/SessionStore.ts"
import type { SessionSummary } from "../runtime/Projection.ts"
import { WaitingApproval } from "./ApiSchema.ts"

/** A session as lists show it. */
export const SessionInfo = Schema.Struct({
  id: Schema.String,
  project: Schema.String,
  profile: Schema.String,
  /** The beginning of the first prompt, or what it was named. */
  title: Schema.String,
  /** Epoch milliseconds. */
  createdAt: Schema.Number,
  updatedAt: Schema.Number,
  status: Schema.Literal("open", "ended"),
  /** The number of its last event. */
  head: Schema.Number
})
export type SessionInfo = typeof SessionInfo.Type

/** A session with what is open in it. */
export const SessionDetail = Schema.Struct({
  ...SessionInfo.fields,
  /** The process that has it open, if one lives. */
  owner: Schema.optionalWith(Schema.Number, { exact: true }),
  /** What happens to calls that need a decision, where it is open here. */
  mode: Schema.optionalWith(Schema.String, { exact: true }),
  /** Tasks that have not ended, the running one first. */
  tasks: Schema.Array(Schema.String),
  approvals: Schema.Array(WaitingApproval)
})
export type SessionDetail = typeof SessionDetail.Type

export const infoOf = ({
  createdAt,
  head,
  id,
  profile,
  project,
  status,
  title,
  updatedAt
}: SessionSummary): SessionInfo => ({
  id,
  project,
  profile,
  title,
  createdAt,
  updatedAt,
  status,
  head
})

/** Requests that are listed at most. */
export const maxWaiting = 1000

/** The open requests of all sessions, the oldest first, with their places in the queue. */
export const waiting: Effect.Effect<
  ReadonlyArray<WaitingApproval>,
  DatabaseError | AnswerBoxFailed,
  SessionStore | Approvals
> = Effect.gen(function* () {
  const approvals = yield* Approvals
  const stored = yield* openRequests(maxWaiting)
  const queue = (yield* approvals.state()).pending.map(({ id }) => id)
  return stored.map((one) => {
    const ahead = queue.indexOf(one.request.id)
    return ahead < 0 ? one : { ...one, ahead }
  })
})

/** The process that has a session open. */
export const ownerOf = (session: string): Effect.Effect<number | undefined, DatabaseError, SessionStore> =>
  Effect.flatMap(SessionStore, ({ handover }) => handover?.owner(session) ?? Effect.succeed(undefined))

/** What is known of a session now. */
export const detailOf = (
  session: string
): Effect.Effect<SessionDetail, SessionNotFound | DatabaseError | AnswerBoxFailed, SessionStore | Approvals> =>
  Effect.gen(function* () {
    const store = yield* SessionStore
    const summary = yield* store.get(session)
    const { requests, tasks } = yield* store.unfinished(session)
    const owner = yield* ownerOf(session)
    const mode = owner === process.pid ? { mode: (yield* (yield* Approvals).state(session)).policy } : {}
    const approvals =
      requests.length === 0 ? [] : (yield* waiting).filter(({ request }) => request.sessionId === session)
    return { ...infoOf(summary), ...(owner === undefined ? {} : { owner }), ...mode, tasks, approvals }
  })
