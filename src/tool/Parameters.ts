import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as JSONSchema from "effect/JSONSchema"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { isDeepValue, maxJsonDepth } from "../text/Json.ts"
import { legible } from "../text/legible.ts"
import { rooted } from "./rooted.ts"

/** One thing that is wrong with the parameters, e.g. `{ path: "range.start", message: "Expected number, actual \"a\"" }`. */
export const Issue = Schema.Struct({ path: Schema.String, message: Schema.String })
export type Issue = typeof Issue.Type

/** Parameters that do not fit the tool's schema; the message lets a model correct itself. */
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
const maxPath = 120

/** An issue in what a model wrote, bounded and legible. */
export const issue = (path: string, message: string): Issue => ({
  path: legible(path, maxPath),
  message: legible(message, maxMessage)
})

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

/** What a refinement takes, from its JSON Schema; nothing where that does not say. */
const takes = (rule: object): string | undefined => {
  const { exclusiveMinimum, maxLength, maximum, minLength, minimum, pattern, type } = rule as Readonly<
    Record<string, unknown>
  >
  if (typeof pattern === "string") return `a string that matches ${pattern}`
  if (type === "integer") return "an integer"
  if (minLength !== undefined || maxLength !== undefined) {
    return `a string of ${bounds(minLength, maxLength)} characters`
  }
  if (exclusiveMinimum !== undefined && maximum === undefined) return `a number above ${String(exclusiveMinimum)}`
  return minimum === undefined && maximum === undefined ? undefined : `a number ${bounds(minimum, maximum)}`
}

const bounds = (least: unknown, most: unknown): string =>
  least === undefined
    ? `at most ${String(most)}`
    : most === undefined
      ? `at least ${String(least)}`
      : least === most
        ? `exactly ${String(least)}`
        : `${String(least)} to ${String(most)}`

/**
 * The issue with what each refinement takes in place of its description, which is about the parameter and says nothing of
 * what was wrong.
 */
const named = (found: ParseResult.ParseIssue): ParseResult.ParseIssue => {
  switch (found._tag) {
    case "Pointer":
      return new ParseResult.Pointer(found.path, found.actual, named(found.issue))
    case "Composite": {
      const { issues } = found
      const inner = "_tag" in issues ? named(issues) : Arr.map(issues, named)
      return new ParseResult.Composite(found.ast, found.actual, inner, found.output)
    }
    case "Refinement":
      return new ParseResult.Refinement(found.ast, found.actual, found.kind, named(found.issue))
    case "Transformation":
      return new ParseResult.Transformation(found.ast, found.actual, found.kind, named(found.issue))
    case "Type": {
      const rule = AST.isRefinement(found.ast) ? AST.getJSONSchemaAnnotation(found.ast) : Option.none()
      const said = Option.flatMapNullable(rule, takes)
      return Option.isNone(said)
        ? found
        : new ParseResult.Type(
            AST.annotations(found.ast, { [AST.DescriptionAnnotationId]: said.value }),
            found.actual,
            found.message
          )
    }
    default:
      return found
  }
}

export type Decode = (raw: unknown) => Either.Either<unknown, ReadonlyArray<Issue>>

/** Where a value has a number that no JSON text holds, such as what `1e400` is read as: it would be shown, and sent on, as null. */
const endlessAt = (value: unknown, at: ReadonlyArray<PropertyKey>): ReadonlyArray<PropertyKey> | undefined => {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : at
  if (typeof value !== "object" || value === null) return undefined
  for (const [key, below] of Object.entries(value)) {
    const found = endlessAt(below, [...at, Array.isArray(value) ? Number(key) : key])
    if (found !== undefined) return found
  }
  return undefined
}

/** What makes a value no parameters, whatever the schema: it is nested too deep for what reads it, or has a number that JSON has not. */
export const unsound = (raw: unknown): Issue | undefined => {
  if (isDeepValue(raw)) return issue("", `is nested deeper than ${maxJsonDepth} levels`)
  const at = endlessAt(raw, [])
  return at === undefined ? undefined : issue(path(at), "is no finite number: numbers end at about 1.8e308")
}

/** Parameters that are unsound are refused like any others that do not fit. */
export const sound =
  (decode: Decode): Decode =>
  (raw) => {
    const problem = unsound(raw)
    return problem === undefined ? decode(raw) : Either.left([problem])
  }

/** `Schema.Struct({})` takes anything but null; as parameters it means none. */
const takesNothing = (schema: Schema.Schema.AnyNoContext): boolean => {
  const ast = AST.encodedAST(schema.ast)
  return AST.isTypeLiteral(ast) && ast.propertySignatures.length + ast.indexSignatures.length === 0
}

const excess = (raw: unknown): ReadonlyArray<Issue> =>
  Predicate.isReadonlyRecord(raw)
    ? Object.keys(raw).map((key) => issue(key, "is unexpected: the tool takes no parameters"))
    : [issue("", "Expected an object without keys")]

/** The JSON Schema of the parameters as the model sees it. */
export const jsonSchemaOf = (schema: Schema.Schema.AnyNoContext): Readonly<Record<string, unknown>> =>
  takesNothing(schema)
    ? { type: "object", required: [], properties: {}, additionalProperties: false }
    : rooted({ ...JSONSchema.make(schema) })

/** A decoder that reports every issue and refuses unknown keys; compile it once per tool. */
export const decoder = (schema: Schema.Schema.AnyNoContext): Decode => {
  const decode = Schema.decodeUnknownEither(schema, { errors: "all", onExcessProperty: "error" })
  const open: Decode = (raw) =>
    Either.mapLeft(decode(raw), (error) =>
      ParseResult.ArrayFormatter.formatIssueSync(named(error.issue)).map((found) =>
        issue(path(found.path), found.message)
      )
    )
  if (!takesNothing(schema)) return sound(open)
  return (raw) => {
    const found = excess(raw)
    return found.length === 0 ? open(raw) : Either.left(found)
  }
}
