import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { ParseError } from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import { errnoOf, errnoText } from "../system/errno.ts"
import { operations } from "../policy/path/PathOp.ts"
import { Decision } from "../policy/Verdict.ts"
import { mistakesOf } from "../redaction/Mistake.ts"
import { unmarked } from "../text/byteOrderMark.ts"

/** A decision as a person writes it: `auto`, a word of before, is `allow`. */
const word = Schema.Literal("auto", "allow", "ask", "deny").annotations({
  message: ({ actual }) => ({
    message: `expected "allow", "ask" or "deny", is ${JSON.stringify(actual)}`,
    override: true
  })
})
const Expected = Schema.transform(word, Decision, {
  strict: true,
  decode: (word) => (word === "auto" ? "allow" : word),
  encode: (decision) => decision
})

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const inputs = {
  shell: Schema.Struct({ command: Schema.String }),
  path: Schema.Struct({ op: Schema.Literal(...operations), path: Schema.String }),
  url: Schema.Struct({ url: Schema.String })
}

const rowOf = <Input extends Schema.Schema.Any>(input: Input) =>
  Schema.Struct({
    id: Schema.NonEmptyString,
    input,
    expected: Expected,
    /** Every decision that passes; `expected` alone if unset. */
    accept: optional(Schema.NonEmptyArray(Expected)),
    why: optional(Schema.String)
  })

const rows = { shell: rowOf(inputs.shell), path: rowOf(inputs.path), url: rowOf(inputs.url) }

/** What a policy is expected to say of a command, an operation on a path, or a URL. */
export type PolicyCase =
  | ({ readonly kind: "shell" } & typeof rows.shell.Type)
  | ({ readonly kind: "path" } & typeof rows.path.Type)
  | ({ readonly kind: "url" } & typeof rows.url.Type)

export class CasesUnreadable extends Schema.TaggedError<CasesUnreadable>()("CasesUnreadable", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `Cannot read the cases in ${this.file}: ${this.reason}.`
  }
}

/** A row of a file is no case; `row` counts from 1. */
export class CaseInvalid extends Schema.TaggedError<CaseInvalid>()("CaseInvalid", {
  file: Schema.String,
  row: Schema.Number,
  id: optional(Schema.String),
  problem: Schema.String
}) {
  override get message() {
    const id = this.id === undefined ? "" : ` (${this.id})`
    return `${this.file}, row ${this.row}${id}: ${this.problem}. A case is {"id": …, "input": …, "expected": "allow" | "ask" | "deny"}; its input has a command, a url, or an op and a path.`
  }
}

/** The cases of a file, and the columns that its rows have beside those of a case; `input.x` is one of an input. */
export interface PolicyCases {
  readonly cases: ReadonlyArray<Either.Either<PolicyCase, CaseInvalid>>
  readonly ignored: ReadonlyArray<string>
}

const problemOf = (error: ParseError): string => {
  const [first] = mistakesOf(error)
  return first === undefined ? error.message : `${first.path.join(".")}: ${first.problem}`.replace(/^: /, "")
}

const decoded = <K extends PolicyCase["kind"], A, I>(kind: K, schema: Schema.Schema<A, I>, row: unknown) =>
  Either.mapBoth(Schema.decodeUnknownEither(schema)(row), {
    onLeft: problemOf,
    onRight: (one) => ({ kind, ...one })
  })

const inputOf = (row: unknown): unknown => (Predicate.hasProperty(row, "input") ? row.input : undefined)

const kindOf = (input: unknown): PolicyCase["kind"] | undefined => {
  if (Predicate.hasProperty(input, "command")) return "shell"
  if (Predicate.hasProperty(input, "url")) return "url"
  return Predicate.hasProperty(input, "op") ? "path" : undefined
}

const decode = (row: unknown): Either.Either<PolicyCase, string> => {
  switch (kindOf(inputOf(row))) {
    case "shell":
      return decoded("shell", rows.shell, row)
    case "path":
      return decoded("path", rows.path, row)
    case "url":
      return decoded("url", rows.url, row)
    case undefined:
      return Either.left("input: it has no command, no url, and no op with a path")
  }
}

const others = (given: unknown, known: object): ReadonlyArray<string> =>
  Predicate.isRecord(given) ? Object.keys(given).filter((name) => !Object.hasOwn(known, name)) : []

const ignoredIn = (row: unknown): ReadonlyArray<string> => {
  const input = inputOf(row)
  const kind = kindOf(input)
  if (kind === undefined) return []
  return [...others(row, rows[kind].fields), ...others(input, inputs[kind].fields).map((name) => `input.${name}`)]
}

/** Bytes. */
const sizeLimit = 16 * 1024 * 1024

const textOf = (file: string): Either.Either<string, string> => {
  const status = fs.statSync(file)
  if (!status.isFile()) return Either.left("it is not a file")
  if (status.size > sizeLimit) return Either.left(`it is larger than ${sizeLimit} bytes`)
  return Either.right(unmarked(fs.readFileSync(file, "utf8")))
}

const parsed = (text: string): Either.Either<unknown, string> =>
  Either.try({ try: (): unknown => JSON.parse(text), catch: () => "it is not JSON" })

/** The rows of a JSON array, or of JSON Lines. */
const rowsOf = (text: string): Either.Either<ReadonlyArray<unknown>, string> => {
  if (!text.trimStart().startsWith("[")) {
    return Either.all(
      text
        .split("\n")
        .filter((line) => line.trim() !== "")
        .map(parsed)
    )
  }
  return Either.map(parsed(text), (rows) => rows as ReadonlyArray<unknown>)
}

const idOf = (row: unknown): { readonly id?: string } =>
  Predicate.hasProperty(row, "id") && typeof row.id === "string" ? { id: row.id } : {}

/** Reads the cases of a JSON array or of JSON Lines, rows that are no cases included. */
export const load = Effect.fn("PolicyCases.load")(function* (file: string) {
  const unreadable = (reason: string) => new CasesUnreadable({ file, reason })
  const text = yield* Effect.try({
    try: () => textOf(file),
    catch: (cause) => unreadable(errnoText(errnoOf(cause)))
  })
  const found = yield* Effect.mapError(Either.flatMap(text, rowsOf), unreadable)
  if (found.length === 0) return yield* unreadable("it holds no case")
  const known = new Map<string, number>()
  const cases = found.map((row, index) => {
    const invalid = (problem: string) => new CaseInvalid({ file, row: index + 1, ...idOf(row), problem })
    return Either.flatMap(Either.mapLeft(decode(row), invalid), (one) => {
      const first = known.get(one.id)
      if (first !== undefined) return Either.left(invalid(`its id is that of row ${first}`))
      known.set(one.id, index + 1)
      return Either.right(one)
    })
  })
  return { cases, ignored: Arr.dedupe(found.flatMap(ignoredIn)) } satisfies PolicyCases
})

/** The decisions that pass. */
export const accepted = ({ accept, expected }: PolicyCase): ReadonlyArray<Decision> => accept ?? [expected]
