import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { valueOf } from "../middleware/effectOf.ts"
import { fieldsOf } from "../text/fieldsOf.ts"
import { isDeepValue, maxJsonDepth } from "../text/Json.ts"

/** A string as it is, nothing as `done`, anything else as JSON. */
const textOf = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined ? "done" : JSON.stringify(value)

/** What a call ran has failed, and by which fact; the call itself gave a result, which the model reads. */
export const ResultFailure = Schema.Struct({
  /** A phrase for people: `exit code 3`, `ended by SIGKILL`, `HTTP 404`. */
  reason: Schema.String,
  exitCode: Schema.optionalWith(Schema.Number, { exact: true }),
  signal: Schema.optionalWith(Schema.String, { exact: true }),
  timedOut: Schema.optionalWith(Schema.Boolean, { exact: true })
})
export type ResultFailure = typeof ResultFailure.Type

const readFailure = fieldsOf(ResultFailure)

const failureIn = (given: ResultFailure | undefined): ResultFailure | undefined =>
  given && Option.getOrThrowWith(readFailure(given), () => new TypeError("what it says of a failure has another form"))

/** What a call gave: the encoded success, the text of it that a model reads, and whether what it ran has failed. */
export class ToolResult {
  readonly value: unknown
  readonly text: string
  readonly failed: ResultFailure | undefined

  constructor(value: unknown, text: string, failed?: ResultFailure) {
    this.value = value
    this.text = text
    this.failed = failureIn(failed)
  }

  /** A result that did not come from a handler; its text is the value itself, or the JSON of it. */
  static of(this: void, value: unknown): ToolResult {
    return new ToolResult(value, textOf(value))
  }

  /** The same value under another text, e.g. one that was cut. */
  withText(text: string): ToolResult {
    return new ToolResult(this.value, text, this.failed)
  }
}

/** A handler returned a value that cannot be told, e.g. one that its success schema rejects: a bug of the tool. */
export class ResultInvalid extends Schema.TaggedError<ResultInvalid>()("ResultInvalid", {
  tool: Schema.String,
  /** As a sentence goes on behind "a value that". */
  reason: Schema.String
}) {
  override get message() {
    return `${this.tool} ran, but returned a value that ${this.reason}`
  }
}

export type Encode = (success: unknown) => Either.Either<ToolResult, string>

const attempt = <A>(make: () => A, what: string): Either.Either<A, string> =>
  Either.try({ try: make, catch: (cause) => `${what}: ${String(cause)}`.slice(0, 400) })

/** The result with its text. */
const told = (value: unknown): Either.Either<ToolResult, string> =>
  attempt(() => ToolResult.of(value), "has no JSON form").pipe(
    // The text of a function or a symbol is none.
    Either.filterOrLeft(
      ({ text }) => (text as string | undefined) !== undefined,
      () => `has no JSON form: it is a ${typeof value}`
    )
  )

/** An encoder of successes; compile it once per tool. `failed` tells which of them are failures. */
export const encoder = (
  schema: Schema.Schema.AnyNoContext,
  failed?: (success: never) => ResultFailure | undefined
): Encode => {
  // What a handler gives in place of nothing is nothing, as in TypeScript.
  if (AST.isVoidKeyword(schema.ast)) return () => Either.right(ToolResult.of(undefined))
  const encode = Schema.encodeUnknownEither(schema)
  return (success) =>
    attempt(() => encode(success), "its success schema crashes on").pipe(
      Either.flatMap(
        Either.mapLeft(
          (error) => `its success schema rejects: ${ParseResult.TreeFormatter.formatErrorSync(error).slice(0, 400)}`
        )
      ),
      Either.filterOrLeft(
        (value) => !isDeepValue(value),
        () => `is nested deeper than ${maxJsonDepth} levels`
      ),
      Either.flatMap(told),
      Either.flatMap((result) =>
        failed === undefined
          ? Either.right(result)
          : attempt(
              () => new ToolResult(result.value, result.text, valueOf("it", failed(success as never))),
              "its tool cannot tell from a failure"
            )
      )
    )
}
