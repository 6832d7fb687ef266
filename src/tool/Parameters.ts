import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

/** One thing that is wrong with the parameters, e.g. `{ path: "range.start", message: "Expected number, actual \"a\"" }`. */
export const Issue = Schema.Struct({ path: Schema.String, message: Schema.String })
export type Issue = typeof Issue.Type

/** Parameters that do not fit the tool's schema; the message lets a model correct itself (T9). */
export class ParametersInvalid extends Schema.TaggedError<ParametersInvalid>()("ParametersInvalid", {
  tool: Schema.String,
  issues: Schema.Array(Issue)
}) {
  override get message() {
    const shown = this.issues
      .slice(0, maxIssues)
      .map(({ message, path }) => `- ${path === "" ? "(root)" : path}: ${message}`)
    const hidden = this.issues.length - shown.length
    return [
      `The parameters of ${this.tool} are invalid. Correct them and call it again:`,
      ...shown,
      ...(hidden > 0 ? [`- and ${hidden} more`] : [])
    ].join("\n")
  }
}

const maxIssues = 8
const maxMessage = 240

const path = (segments: ReadonlyArray<PropertyKey>): string =>
  segments.reduce<string>(
    (text, segment) =>
      typeof segment === "number"
        ? `${text}[${segment}]`
        : text === ""
          ? String(segment)
          : `${text}.${String(segment)}`,
    ""
  )

const cut = (text: string): string => (text.length > maxMessage ? `${text.slice(0, maxMessage)}…` : text)

export type Decode = (raw: unknown) => Either.Either<unknown, ReadonlyArray<Issue>>

/** A decoder that reports every issue and refuses unknown keys; compile it once per tool. */
export const decoder = (schema: Schema.Schema.AnyNoContext): Decode => {
  const decode = Schema.decodeUnknownEither(schema, { errors: "all", onExcessProperty: "error" })
  return (raw) =>
    Either.mapLeft(decode(raw), (error) =>
      ParseResult.ArrayFormatter.formatErrorSync(error).map((issue) => ({
        path: path(issue.path),
        message: cut(issue.message)
      }))
    )
}
