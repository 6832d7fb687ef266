import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { Decision } from "../Verdict.ts"
import { PathInput } from "./PathCase.ts"
import { ShellInput } from "./ShellCase.ts"
import { UrlInput } from "./UrlCase.ts"

/** A decision as a person writes it: `auto` is `allow`. */
const Expected = Schema.transform(Schema.Literal("auto", "allow", "ask", "deny"), Decision, {
  strict: true,
  decode: (word) => (word === "auto" ? "allow" : word),
  encode: (decision) => decision
})

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const common = {
  id: Schema.NonEmptyString,
  expected: Expected,
  /** Every decision that will do; `expected` alone where it is absent. */
  accept: optional(Schema.NonEmptyArray(Expected)),
  /** Where the decision falls; `response` is after a server has answered. */
  stage: optional(Schema.String),
  why: optional(Schema.String)
}

const ShellCase = Schema.Struct({ ...common, input: ShellInput })
const UrlCase = Schema.Struct({ ...common, input: UrlInput })
const PathCase = Schema.Struct({ ...common, input: PathInput })

/** What a policy is expected to say of one input; the input's shape says which policy. */
export type Case =
  | ({ readonly _tag: "shell" } & typeof ShellCase.Type)
  | ({ readonly _tag: "url" } & typeof UrlCase.Type)
  | ({ readonly _tag: "path" } & typeof PathCase.Type)

const shape = Schema.Struct({ input: Schema.Unknown })

const problem = (error: ParseResult.ParseError): string => {
  const [first] = ParseResult.ArrayFormatter.formatErrorSync(error)
  return first === undefined ? error.message : `${first.path.join(".")}: ${first.message}`.replace(/^: /, "")
}

const as = <A, I, Tag extends string>(tag: Tag, schema: Schema.Schema<A, I>, row: unknown) =>
  Either.mapBoth(Schema.decodeUnknownEither(schema)(row), {
    onLeft: problem,
    onRight: (decoded) => ({ _tag: tag, ...decoded })
  })

/** Reads one case, or says what is wrong with it. */
export const decode = (row: unknown): Either.Either<Case, string> => {
  const shaped = Schema.decodeUnknownEither(shape)(row)
  if (Either.isLeft(shaped)) return Either.left(problem(shaped.left))
  const { input } = shaped.right
  if (Predicate.hasProperty(input, "command")) return as("shell", ShellCase, row)
  if (Predicate.hasProperty(input, "url")) return as("url", UrlCase, row)
  if (Predicate.hasProperty(input, "op")) return as("path", PathCase, row)
  return Either.left("input: it has neither a command, nor a url, nor an op with a path")
}

/** Whether the decision will do. */
export const accepts = ({ accept, expected }: Case, decision: Decision): boolean =>
  Arr.contains<Decision>(accept ?? [expected], decision)

const isPatch = /^(?:\*\*\* |--- |\+\+\+ |@@ |diff |rename |copy |(?:new|deleted) file mode |(?:new|old) mode )/m

/** What a case needs that judging alone does not give, or undefined where it can be judged. */
export const beyond = (given: Case): string | undefined => {
  if (given._tag === "url") return given.stage === "response" ? "a server that answers" : undefined
  if (given._tag === "shell") return undefined
  if (given.input.between !== undefined) return "a change between check and use"
  if (given.input.fault !== undefined) return "a fault"
  return given.input.op === "patch" && !isPatch.test(given.input.path) ? "a patch that is written out" : undefined
}
