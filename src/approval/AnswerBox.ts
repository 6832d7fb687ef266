import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Database } from "../database/Database.ts"
import { inRealTime, pause } from "../process/RealClock.ts"
import { Scope, WiderKind } from "../tool/ApprovalRequest.ts"
import type { DecisionRefused } from "./ApprovalError.ts"
import type { Decision } from "./Decision.ts"

/** An answer that somebody gives to a request of another process. */
export const SentAnswer = Schema.Struct({
  approvalId: Schema.String,
  sessionId: Schema.String,
  digest: Schema.String,
  /** `edit` has the call asked about anew with `parameters`: a process that knows no such answer must not read it as a yes. */
  decision: Schema.Literal("approve", "deny", "edit"),
  scope: Scope,
  wider: Schema.optionalWith(WiderKind, { exact: true }),
  reason: Schema.optionalWith(Schema.String, { exact: true }),
  stop: Schema.optionalWith(Schema.Boolean, { exact: true }),
  parameters: Schema.optionalWith(Schema.Unknown, { exact: true }),
  /** Who answers, as the audit names them. */
  by: Schema.String
})
export type SentAnswer = typeof SentAnswer.Type

/** What the process that asked has made of an answer; the message says why it was refused. */
export const AnswerOutcome = Schema.Struct({
  taken: Schema.Boolean,
  message: Schema.optionalWith(Schema.String, { exact: true })
})
export type AnswerOutcome = typeof AnswerOutcome.Type

/** An answer that is in the box. */
export interface Boxed {
  readonly answer: SentAnswer
  /** Unset until the process that asked has looked at it. */
  readonly outcome: AnswerOutcome | undefined
}

/** The box could not be read or written. */
export class AnswerBoxFailed extends Schema.TaggedError<AnswerBoxFailed>()("AnswerBoxFailed", {
  reason: Schema.String
}) {
  override get message() {
    return `Answers from elsewhere cannot be exchanged: ${this.reason}`
  }
}

/** Somebody else has answered the request first. */
export class AnsweredAlready extends Schema.TaggedError<AnsweredAlready>()("AnsweredAlready", {
  approvalId: Schema.String,
  decision: SentAnswer.fields.decision,
  by: Schema.String
}) {
  override get message() {
    const what = { approve: "yes", deny: "no", edit: "changed parameters" }[this.decision]
    return `Request ${this.approvalId} has been answered with ${what} by ${this.by}; this answer changed nothing.`
  }
}

/** Where answers lie that were given in another process than the one that asks, one for each request. */
export interface AnswerBoxShape {
  /** The first answer to a request stays, unless it was refused. */
  readonly put: (answer: SentAnswer) => Effect.Effect<void, AnsweredAlready | AnswerBoxFailed>
  readonly get: (approvalId: string) => Effect.Effect<Boxed | undefined, AnswerBoxFailed>
  /** Those that there are to some requests, by their ids. */
  readonly find: (approvalIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, Boxed>, AnswerBoxFailed>
  /**
   * Waits for an answer to an open request that was not refused: one that was taken is of a process that ended before what it
   * decided was written. Never fails: a box that cannot be read is looked into again.
   */
  readonly next: (approvalId: string) => Effect.Effect<SentAnswer>
  readonly settle: (approvalId: string, outcome: AnswerOutcome) => Effect.Effect<void, AnswerBoxFailed>
}

/** None where it is not provided: then only the process that asks can be answered. */
export class AnswerBox extends Context.Reference<AnswerBox>()("tollgate/approval/AnswerBox", {
  defaultValue: (): { readonly box: AnswerBoxShape | undefined } => ({ box: undefined })
}) {
  /** In the table `approval_answers`. */
  static readonly layerSql: Layer.Layer<AnswerBox, never, Database> = Layer.effect(
    AnswerBox,
    Effect.map(Database, (database) => ({ box: makeSql(database) }))
  )
}

const decisionOf = ({ decision, parameters = null, ...answer }: SentAnswer): Decision =>
  decision === "edit" ? { ...answer, decision: "approve", parameters } : { ...answer, decision }

/** Takes the answers to a request that another process gives, as if they were given here, for as long as it is waited for. */
export const takenFrom =
  (box: AnswerBoxShape | undefined, decide: (decision: Decision) => Effect.Effect<void, DecisionRefused>) =>
  (approvalId: string): Effect.Effect<never> =>
    box === undefined
      ? Effect.never
      : box.next(approvalId).pipe(
          Effect.flatMap((answer) => Effect.uninterruptible(taken(box, answer, decide(decisionOf(answer))))),
          // One that was refused and cannot be marked so is found again.
          Effect.tapError(() => pause(pauseAfterFailure)),
          Effect.retry(Schedule.forever),
          Effect.orDie,
          Effect.repeat({ until: (isTaken) => isTaken }),
          Effect.zipRight(Effect.never)
        )

/** Decides by an answer, and says in the box what came of it: fails only where it was refused, and that cannot be written. */
const taken = (
  box: AnswerBoxShape,
  { approvalId }: SentAnswer,
  decided: Effect.Effect<void, DecisionRefused>
): Effect.Effect<boolean, AnswerBoxFailed> =>
  decided.pipe(
    Effect.match({
      onFailure: ({ message }): AnswerOutcome => ({ taken: false, message }),
      onSuccess: (): AnswerOutcome => ({ taken: true })
    }),
    Effect.flatMap((outcome) =>
      box.settle(approvalId, outcome).pipe(
        Effect.as(outcome.taken),
        Effect.tapError(({ message }) => Effect.logWarning(message)),
        Effect.catchIf(
          () => outcome.taken,
          () => Effect.succeed(true)
        )
      )
    )
  )

/** Answers that are kept; older ones go first. */
const maxKept = 1000

const crowded = `
  DELETE FROM approval_answers WHERE approval_id NOT IN (
    SELECT approval_id FROM approval_answers ORDER BY sent_at DESC LIMIT ${maxKept}
  )`

/** How often a process that waits looks whether another has written. */
const glance = "200 millis"
const pauseAfterFailure = "1 second"

const Row = Schema.Struct({
  approval_id: Schema.String,
  answer: Schema.parseJson(SentAnswer),
  outcome: Schema.NullOr(Schema.parseJson(AnswerOutcome))
})
const decode = Schema.decodeUnknown(Schema.Array(Row))
const decodeVersion = Schema.decodeUnknown(Schema.Array(Schema.Struct({ data_version: Schema.Number })))
const encodeAnswer = Schema.encodeSync(Schema.parseJson(SentAnswer))
const encodeOutcome = Schema.encodeSync(Schema.parseJson(AnswerOutcome))

const makeSql = ({ file, read: sql, write }: Database["Type"]): AnswerBoxShape => {
  const failed = (error: { readonly message: string }) => new AnswerBoxFailed({ reason: error.message })
  const find = (approvalIds: ReadonlyArray<string>): Effect.Effect<ReadonlyMap<string, Boxed>, AnswerBoxFailed> =>
    sql`SELECT approval_id, answer, outcome FROM approval_answers
      WHERE approval_id IN (SELECT value FROM json_each(${JSON.stringify(approvalIds)}))`.pipe(
      Effect.mapError(failed),
      Effect.flatMap((rows) =>
        Effect.mapError(decode(rows), () => failed({ message: `an answer in ${file} was changed by another program.` }))
      ),
      Effect.map(
        (rows) =>
          new Map(
            rows.map(({ answer, approval_id, outcome }) => [approval_id, { answer, outcome: outcome ?? undefined }])
          )
      )
    )
  const get = (approvalId: string) => Effect.map(find([approvalId]), (found) => found.get(approvalId))
  /** Grows whenever another connection has committed. */
  const version = sql`PRAGMA data_version`.pipe(
    Effect.flatMap(decodeVersion),
    Effect.map(([row]) => row?.data_version)
  )
  const looked = (approvalId: string) =>
    Stream.repeatEffectWithSchedule(version, Schedule.spaced(glance)).pipe(
      Stream.changes,
      Stream.mapEffect(() => get(approvalId)),
      Stream.filter((found): found is Boxed => found !== undefined && found.outcome?.taken !== false),
      Stream.runHead,
      Effect.flatten
    )
  const next = (approvalId: string): Effect.Effect<SentAnswer> =>
    looked(approvalId).pipe(
      // What cannot be read now may be readable again, and nobody else would take the answer.
      Effect.catchAll((error) =>
        Effect.zipRight(
          Effect.logWarning("Answers from elsewhere cannot be read now", error.message),
          Effect.retry(Effect.delay(looked(approvalId), pauseAfterFailure), Schedule.forever)
        )
      ),
      inRealTime,
      Effect.map(({ answer }) => answer),
      Effect.orDie
    )
  return {
    get,
    find,
    next,
    put: Effect.fn("AnswerBox.put")(function* (answer: SentAnswer) {
      const { approvalId } = answer
      const now = yield* Clock.currentTimeMillis
      const rows = yield* write((connection) =>
        Effect.zipLeft(
          connection.execute(
            `INSERT INTO approval_answers (approval_id, answer, sent_at) VALUES (?, ?, ?)
              ON CONFLICT (approval_id) DO UPDATE SET answer = excluded.answer, sent_at = excluded.sent_at, outcome = NULL
              WHERE outcome ->> '$.taken' = 0
              RETURNING approval_id`,
            [approvalId, encodeAnswer(answer), now],
            undefined
          ),
          connection.executeRaw(crowded, [])
        )
      ).pipe(Effect.mapError(failed))
      if (rows.length > 0) return
      const first = yield* get(approvalId)
      if (first === undefined) return yield* failed({ message: `the answer is not in ${file}.` })
      return yield* new AnsweredAlready({ approvalId, decision: first.answer.decision, by: first.answer.by })
    }),
    settle: (approvalId, outcome) =>
      write((connection) =>
        connection.executeRaw("UPDATE approval_answers SET outcome = ? WHERE approval_id = ?", [
          encodeOutcome(outcome),
          approvalId
        ])
      ).pipe(Effect.mapBoth({ onFailure: failed, onSuccess: () => undefined }))
  }
}
