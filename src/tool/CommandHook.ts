import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { After, Before, post, pre, type Hook, type Outcome } from "./Hook.ts"
import { maxJsonDepth, parsePrinted } from "../text/Json.ts"
import { HookRunner, type HookNotRun, type HookOutput, type HookProgram } from "./HookRunner.ts"
import type { ToolCall } from "./ToolCall.ts"

/** Milliseconds, or text like `"10 seconds"`. */
const Timespan = Schema.Union(Schema.Positive, Schema.String).pipe(
  Schema.filter(
    (written) => Option.isSome(Duration.decodeUnknown(written)) || 'expected milliseconds or e.g. "10 seconds"'
  )
)

/** A hook in a configuration file: a program that is asked before, or told after, calls of a tool. */
export const CommandHook = Schema.Struct({
  event: Schema.Literal("pre", "post"),
  /** A tool, or `*` for every tool. */
  tool: Schema.optionalWith(Schema.NonEmptyString, { default: () => "*" }),
  /** A program and its arguments; no shell is involved. */
  command: Schema.NonEmptyArray(Schema.NonEmptyString),
  name: Schema.optionalWith(Schema.NonEmptyString, { exact: true }),
  timeout: Schema.optionalWith(Timespan, { default: () => "10 seconds" }),
  onFailure: Schema.optionalWith(Schema.Literal("fail", "skip"), { default: () => "fail" as const })
})
export type CommandHook = typeof CommandHook.Type

/** A program answered something that is not an answer. */
export class HookAnswerInvalid extends Schema.TaggedError<HookAnswerInvalid>()("HookAnswerInvalid", {
  exitCode: Schema.NullOr(Schema.Number),
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

/** What a program has to print after exit code 0; saying nothing is no answer. */
const Answer = Schema.Union(
  Schema.Struct({ decision: Schema.Literal("continue") }),
  Schema.Struct({
    decision: Schema.Literal("abort"),
    reason: Schema.String,
    result: Schema.optionalWith(Schema.Unknown, { exact: true })
  }),
  Schema.Struct({
    decision: Schema.Literal("replace"),
    parameters: Schema.optionalWith(Schema.Unknown, { exact: true }),
    result: Schema.optionalWith(Schema.Unknown, { exact: true })
  })
)
type Answer = typeof Answer.Type

const parse = Schema.decodeUnknownEither(Answer, { onExcessProperty: "error" })

/** The exit code by which a program aborts, with the reason on stderr, as hooks of other agents do. */
const abortCode = 2
const maxQuote = 200

const quote = (text: string): string => {
  const line = text.trim().replace(/\s+/g, " ")
  return line === "" ? "" : `: ${line.slice(0, maxQuote)}`
}

const answerOf = ({ exitCode, stderr, stdout }: HookOutput): Either.Either<Answer, HookAnswerInvalid> => {
  if (exitCode === abortCode) return Either.right({ decision: "abort", reason: stderr })
  if (exitCode !== 0) {
    const ended = exitCode === null ? "was ended by a signal" : `exited with code ${exitCode}`
    return Either.left(new HookAnswerInvalid({ exitCode, reason: `it ${ended}${quote(stderr)}` }))
  }
  const invalid = (reason: string) => Either.left(new HookAnswerInvalid({ exitCode, reason }))
  if (stdout._tag === "Incomplete") {
    return invalid(
      stdout.truncated
        ? "a process it started still held its output, so its answer may be incomplete; redirect the output of processes that stay"
        : "its output is too long"
    )
  }
  if (stdout.text.trim() === "")
    return invalid(`it answered nothing; to let the call run, print {"decision":"continue"}`)
  return Either.mapLeft(Either.flatMap(parsePrinted(stdout.text, maxJsonDepth + 2), parse), (why) => {
    const what = why === "ambiguous" ? "an answer with a duplicate name" : "something that is not an answer"
    return new HookAnswerInvalid({ exitCode, reason: `it printed ${what}${quote(stdout.text)}` })
  })
}

/** The version of what a program reads on stdin. */
const protocol = 1

const describe = (call: ToolCall, event: "pre" | "post") => ({
  protocol,
  event,
  tool: call.name,
  callId: call.callId,
  sessionId: call.sessionId,
  worker: call.workerPath,
  parameters: call.rawParams
})

const told = (outcome: Outcome) =>
  Either.match(outcome, {
    onLeft: ({ _tag, message }) => ({ ok: false, error: { _tag, message } }),
    onRight: ({ text }) => ({ ok: true, text })
  })

const ask = (
  command: HookProgram["command"],
  input: unknown
): Effect.Effect<Answer, HookNotRun | HookAnswerInvalid, HookRunner> =>
  Effect.flatMap(HookRunner, (runner) =>
    Effect.flatMap(runner.run({ command, stdin: `${JSON.stringify(input)}\n` }), answerOf)
  )

const misplaced = (event: string, what: string) =>
  new HookAnswerInvalid({ exitCode: 0, reason: `a ${event} hook that replaces needs "${what}"` })

/** The hook that a configuration describes. */
export const toHook = (config: CommandHook): Hook<HookRunner> => {
  const { command, event, onFailure, timeout, tool } = config
  const options = {
    name: config.name ?? command.join(" ").slice(0, 80),
    timeout: Duration.decode(timeout as Duration.DurationInput),
    onFailure
  }
  return event === "pre"
    ? pre(
        tool,
        (call) =>
          Effect.flatMap(ask(command, describe(call, event)), (answer): Either.Either<Before, HookAnswerInvalid> => {
            switch (answer.decision) {
              case "continue":
                return Either.right(Before.Continue())
              case "abort":
                return Either.right(Before.Abort(answer))
              case "replace":
                return answer.parameters === undefined
                  ? Either.left(misplaced(event, "parameters"))
                  : Either.right(Before.Replace({ parameters: answer.parameters }))
            }
          }),
        options
      )
    : post(
        tool,
        (call, outcome) =>
          Effect.flatMap(
            ask(command, { ...describe(call, event), outcome: told(outcome) }),
            (answer): Either.Either<After, HookAnswerInvalid> => {
              switch (answer.decision) {
                case "continue":
                  return Either.right(After.Keep())
                case "abort":
                  return Either.right(After.Fail({ reason: answer.reason }))
                case "replace":
                  return answer.result === undefined
                    ? Either.left(misplaced(event, "result"))
                    : Either.right(After.Replace({ result: answer.result }))
              }
            }
          ),
        options
      )
}

export interface ConfiguredHooks {
  readonly user: ReadonlyArray<CommandHook>
  readonly project: ReadonlyArray<CommandHook>
  /** Whether the user has said that this project may run programs of its own. */
  readonly projectTrusted: boolean
}

/** The user's hooks outside those of the project, and those only where the project is trusted. */
export const toHooks = ({ project, projectTrusted, user }: ConfiguredHooks): ReadonlyArray<Hook<HookRunner>> =>
  [...user, ...(projectTrusted ? project : [])].map(toHook)
