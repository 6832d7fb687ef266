import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { logCrash } from "../redaction/logCrash.ts"
import { effectFrom } from "../middleware/effectOf.ts"
import { catchOwnEnd } from "../middleware/endOf.ts"
import * as Answer from "../process/Answer.ts"
import { Processes } from "../process/Processes.ts"
import { commandOf, type Program } from "../process/Program.ts"
import { timeSpan } from "../system/wholeNumber.ts"
import { lazy } from "../system/lazy.ts"
import { parsePrinted } from "../text/Json.ts"
import { visibleJson } from "../text/visible.ts"
import { ApprovalRequest } from "../tool/ApprovalRequest.ts"
import { duration } from "../text/duration.ts"

/** What a reviewer says of a request; `ask` leaves it to the mode. */
export interface ReviewerAnswer {
  readonly decision: "approve" | "deny" | "ask"
  readonly reason?: string
  readonly by: string
  /** It has not answered; the decision is what that stands for, and never to approve. */
  readonly failed?: boolean
}

const Given = Schema.Struct({
  decision: Schema.Literal("approve", "deny", "ask"),
  by: Schema.NonEmptyString,
  reason: Schema.optional(Schema.String),
  failed: Schema.optional(Schema.Boolean)
})
const optionOfGiven = lazy(() => Schema.decodeUnknownOption(Given))
const decodeGiven = lazy(() => Schema.decodeUnknownSync(Given))

/** What stands for the answer of a reviewer that has given none, and why. */
type Unanswered = (reason: string) => ReviewerAnswer

/** What stands for it never approves, whatever it says. */
const failed = ({ by, decision, reason }: typeof Given.Type): ReviewerAnswer => ({
  by,
  decision: decision === "approve" ? "ask" : decision,
  ...(reason === undefined ? {} : { reason }),
  failed: true
})

const leftToMode: Unanswered = (reason) => ({ decision: "ask", by: "reviewer", reason, failed: true })

const answerOf = (
  given: unknown,
  unanswered: (reason: string) => Effect.Effect<ReviewerAnswer>
): Effect.Effect<ReviewerAnswer> => {
  const said = optionOfGiven()(given)
  if (Option.isNone(said)) return unanswered("it gave something that is not an answer")
  const { by, decision, reason } = said.value
  return Effect.succeed(
    said.value.failed === true ? failed(said.value) : { decision, by, ...(reason === undefined ? {} : { reason }) }
  )
}

/** Decides on calls before a person is asked, or leaves them. */
export interface ReviewerService {
  readonly decide: ((request: ApprovalRequest) => Effect.Effect<ReviewerAnswer>) | undefined
  /** How long it may take to decide; after that it has not answered. Default: 1 minute. */
  readonly timeout?: Duration.DurationInput
  /** What stands for its answer where it gives none. Default: the call is left to the mode. */
  readonly unanswered?: Unanswered
}

/** What a reviewer says of a request: one that crashes, fails, takes too long or gives anything but an answer has not answered. */
export const consulted = (
  { decide, timeout = "1 minute", unanswered: given = leftToMode }: ReviewerService & { readonly decide: Decide },
  request: ApprovalRequest
): Effect.Effect<ReviewerAnswer> => {
  const unanswered = (reason: string): Effect.Effect<ReviewerAnswer> =>
    Effect.try(() => failed(decodeGiven()(given(reason)))).pipe(
      Effect.catchAll(({ error }) =>
        Effect.as(
          Effect.logWarning("The function `unanswered` of the approval reviewer crashed", error),
          leftToMode(`${reason}, and its function \`unanswered\` crashed`)
        )
      )
    )
  return catchOwnEnd(
    Effect.flatMap(
      effectFrom("it", () => decide(request)),
      (given) => answerOf(given, unanswered)
    ),
    (cause) =>
      Effect.zipRight(logCrash("The approval reviewer crashed", cause, Effect.logWarning), unanswered("it crashed"))
  ).pipe(
    // One that cannot be interrupted does not keep the call.
    Effect.disconnect,
    Effect.timeoutTo({
      duration: timeout,
      onSuccess: Effect.succeed,
      onTimeout: () => unanswered(`it did not answer within ${duration(Duration.toMillis(timeout))}`)
    }),
    Effect.flatten,
    // In a step of a stack that nothing interrupts, the time would have to pass.
    Effect.interruptible
  )
}

/** The same reviewer; a time that is none, which would be over at once or never, is a defect. */
export const checked = (reviewer: ReviewerService): ReviewerService => {
  if (reviewer.timeout !== undefined) timeSpan("Reviewer: timeout", reviewer.timeout)
  return reviewer
}

type Decide = NonNullable<ReviewerService["decide"]>

/** Decides before a person is asked: how a team plugs in its own policy. None where it is not provided. */
export class Reviewer extends Context.Reference<Reviewer>()("tollgate/approval/Reviewer", {
  defaultValue: (): ReviewerService => ({ decide: undefined })
}) {
  /**
   * A program that gets the request as one JSON object on its standard input and writes `{"digest", "decision":
   * "approve" | "deny" | "ask", "reason"?}` to its standard output, with the digest of the request. Any other output, a
   * failure or a timeout never approves.
   */
  static readonly layerProgram = (options: ProgramOptions): Layer.Layer<Reviewer, never, Processes> =>
    Layer.effect(
      Reviewer,
      Effect.map(Processes, (processes) => byProgram(processes, options))
    )
}

export interface ProgramOptions extends Program {
  /** Default: 10 seconds. */
  readonly timeout?: Duration.DurationInput
  /** The decision if the reviewer fails. Default: `ask`. */
  readonly onFailure?: "ask" | "deny"
}

const Decision = Schema.Struct({
  digest: Schema.String,
  decision: Schema.Literal("approve", "deny", "ask"),
  reason: Schema.optionalWith(Schema.String, { exact: true })
})
const decode = lazy(() => Schema.decodeUnknown(Decision, { onExcessProperty: "error" }))
const encode = lazy(() => Schema.encode(Schema.parseJson(ApprovalRequest)))

const outputLimit = 64 * 1024
const maxReason = 500

const byProgram = (
  processes: Processes["Type"],
  { onFailure = "ask", timeout = "10 seconds", ...program }: ProgramOptions
): ReviewerService => {
  const by = `reviewer ${program.file.split("/").at(-1) ?? program.file}`
  const unanswered: Unanswered = (reason) => ({ decision: onFailure, reason, by, failed: true })
  const decide = (request: ApprovalRequest): Effect.Effect<ReviewerAnswer> =>
    Effect.gen(function* () {
      const text = visibleJson(yield* encode()(request))
      const result = yield* processes.run({ ...commandOf(program), stdin: { text } }, { limit: outputLimit })
      const ended = Answer.of(result)
      if (Either.isLeft(ended)) return unanswered(`it ${ended.left.message}`)
      if (ended.right.stdout.trim() === "") return unanswered("it answered nothing")
      const said = yield* Effect.option(Effect.flatMap(parsePrinted(ended.right.stdout), decode()))
      if (Option.isNone(said)) return unanswered("it printed something that is not an answer")
      const answer = said.value
      if (answer.digest !== request.digest) return unanswered("it answered another request")
      const reason = answer.reason?.slice(0, maxReason)
      return { decision: answer.decision, by, ...(reason === undefined ? {} : { reason }) }
    }).pipe(
      Effect.catchTag("SpawnFailed", ({ message }) => Effect.succeed(unanswered(`it could not be run: ${message}`))),
      Effect.orDie
    )
  return { decide, timeout, unanswered }
}
