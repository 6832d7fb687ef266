import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { Decision } from "../../src/policy/Verdict.ts"
import { PathInput } from "./PathCase.ts"
import { ShellInput } from "./ShellCase.ts"
import { Kind, kinds, TextInput } from "./TextCase.ts"
import { UrlInput } from "./UrlCase.ts"

/** A decision as a person writes it: `auto` is `allow`. */
const Expected = Schema.transform(Schema.Literal("auto", "allow", "ask", "deny"), Decision, {
  strict: true,
  decode: (word) => (word === "auto" ? "allow" : word),
  encode: (decision) => decision
})

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** For whoever reads the file; nothing depends on them. */
const remarks = {
  why: optional(Schema.String),
  source: optional(Schema.Unknown),
  note: optional(Schema.Unknown),
  class: optional(Schema.Unknown),
  group: optional(Schema.Unknown),
  platform: optional(Schema.Unknown),
  verified: optional(Schema.Unknown),
  measured: optional(Schema.Unknown),
  execute: optional(Schema.Unknown),
  maxLookups: optional(Schema.Unknown),
  connectsTo: optional(Schema.Unknown)
}

const common = {
  id: Schema.NonEmptyString,
  ...remarks,
  /** What must be so besides, where the case is carried out; one that nobody knows here demands nothing. */
  invariants: optional(Schema.Array(Schema.String)),
  /** Where the decision falls; `response` is after a server has answered. */
  stage: optional(Schema.String)
}

const decided = {
  ...common,
  expected: Expected,
  /** Every decision that will do; `expected` alone where it is absent. */
  accept: optional(Schema.NonEmptyArray(Expected))
}

const ShellCase = Schema.Struct({ ...decided, input: ShellInput })
const UrlCase = Schema.Struct({ ...decided, input: UrlInput })
const PathCase = Schema.Struct({ ...decided, input: PathInput })
/** What has to hold follows from the kind; `expected` says it in words. */
const TextCase = Schema.Struct({
  ...common,
  kind: Kind,
  expected: Schema.String,
  input: TextInput,
  /** The part of the input that must not be read; whatever is masked of it where this is absent. */
  secret: optional(TextInput)
})

/** What a policy is expected to say of one input; the kind, or else the input's shape, says which policy. */
export type Case =
  | ({ readonly _tag: "shell" } & typeof ShellCase.Type)
  | ({ readonly _tag: "url" } & typeof UrlCase.Type)
  | ({ readonly _tag: "path" } & typeof PathCase.Type)
  | ({ readonly _tag: "text" } & typeof TextCase.Type)

/** A case about which there is a decision. */
export type Decided = Exclude<Case, { readonly _tag: "text" }>

const shape = Schema.Struct({ kind: optional(Schema.Unknown), input: Schema.Unknown })

const problem = (error: ParseResult.ParseError): string => {
  const [first] = ParseResult.ArrayFormatter.formatErrorSync(error)
  return first === undefined ? error.message : `${first.path.join(".")}: ${first.message}`.replace(/^: /, "")
}

const as = <A, I, Tag extends string>(tag: Tag, schema: Schema.Schema<A, I>, row: unknown) =>
  Either.mapBoth(Schema.decodeUnknownEither(schema)(row, { onExcessProperty: "error" }), {
    onLeft: problem,
    onRight: (decoded) => ({ _tag: tag, ...decoded })
  })

/** Reads one case, or says what is wrong with it; a field that nobody knows is wrong. */
export const decode = (row: unknown): Either.Either<Case, string> => {
  const shaped = Schema.decodeUnknownEither(shape)(row)
  if (Either.isLeft(shaped)) return Either.left(problem(shaped.left))
  const { input, kind } = shaped.right
  if (kind !== undefined) {
    return Arr.contains<unknown>(kinds, kind)
      ? as("text", TextCase, row)
      : Either.left(`kind: there is no kind ${JSON.stringify(kind)}; there are ${kinds.join(", ")}`)
  }
  if (Predicate.hasProperty(input, "command")) return as("shell", ShellCase, row)
  if (Predicate.hasProperty(input, "url")) return as("url", UrlCase, row)
  if (Predicate.hasProperty(input, "op")) return as("path", PathCase, row)
  return Either.left("input: it has neither a command, nor a url, nor an op with a path, and there is no kind")
}

/** Whether the decision will do. */
export const accepts = ({ accept, expected }: Decided, decision: Decision): boolean =>
  Arr.contains<Decision>(accept ?? [expected], decision)
