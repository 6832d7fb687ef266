import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import formats from "ajv-formats"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { withinTime } from "../system/withinTime.ts"
import { linear } from "./LinearPattern.ts"
import { loosened } from "./LooseSchema.ts"
import { issue, sound, type Decode, type Issue } from "./Parameters.ts"

const options: Options = {
  allErrors: true,
  strict: false,
  verbose: true,
  logger: false,
  code: { regExp: Object.assign(linear, { code: "linear" }) }
}

const maxShown = 80

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "undefined"
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text
}

/** `/range/0/start` as `range[0].start`. */
const path = (pointer: string, last?: string): string =>
  [...pointer.split("/").slice(1), ...(last === undefined ? [] : [last])]
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce(
      (text, segment) => (/^\d+$/.test(segment) ? `${text}[${segment}]` : text === "" ? segment : `${text}.${segment}`),
      ""
    )

const expected = (error: ErrorObject): string => {
  const { data: actual, keyword, message = "valid", params } = error
  switch (keyword) {
    case "required":
      return "is missing"
    case "additionalProperties":
      return "is unexpected"
    case "type":
      return `Expected ${String(params["type"])}, actual ${shown(actual)}`
    case "enum":
      return `Expected one of ${shown(params["allowedValues"])}, actual ${shown(actual)}`
    case "const":
      return `Expected ${shown(params["allowedValue"])}, actual ${shown(actual)}`
    default:
      return `Expected a value that ${message}, actual ${shown(actual)}`
  }
}

const issueOf = (error: ErrorObject): Issue => {
  const { instancePath, params } = error
  const key: unknown = params["missingProperty"] ?? params["additionalProperty"]
  return issue(path(instancePath, key === undefined ? undefined : String(key)), expected(error))
}

type JsonSchema = Readonly<Record<string, unknown>>

/** Where a value is data and not a schema. */
const data = new Set(["const", "enum", "default", "examples"])

/** Draft-04 says `exclusiveMinimum: true` beside a `minimum` for what is one number since. */
const modern = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(modern)
  if (typeof node !== "object" || node === null) return node
  const made = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, data.has(key) ? value : modern(value)])
  )
  for (const [bound, exclusive] of [
    ["minimum", "exclusiveMinimum"],
    ["maximum", "exclusiveMaximum"]
  ] as const) {
    if (typeof made[bound] !== "number" || typeof made[exclusive] !== "boolean") continue
    if (made[exclusive]) {
      made[exclusive] = made[bound]
      delete made[bound]
    } else {
      delete made[exclusive]
    }
  }
  return made
}

const isOld = (schema: JsonSchema): boolean => /draft-0[4-7]/.test(String(schema["$schema"] ?? ""))

/** A schema of an unknown dialect is read as the newest one, and where that cannot be as draft-07. */
const compiled = (schema: JsonSchema): ValidateFunction => {
  const { $async: async, $id, $schema: _schema, id: _id, ...rest } = modern(schema) as JsonSchema
  if (async !== undefined && async !== false) throw new Error("it is asynchronous ($async)")
  const named = typeof $id === "string" ? [{ ...rest, $id }] : []
  const attempts = (isOld(schema) ? [Ajv] : [Ajv2020, Ajv]).flatMap((Dialect) =>
    [...named, rest].map((said) => () => {
      const ajv = new Dialect(options)
      formats.default(ajv, { mode: "fast" })
      return ajv.compile(said)
    })
  )
  let first: unknown
  for (const attempt of attempts) {
    try {
      return attempt()
    } catch (cause) {
      first ??= cause
    }
  }
  throw first
}

/** Milliseconds that a schema may take to be compiled, or to check a value, while nothing else runs. */
const patience = 2000

/** References fan out, items are compared with each other: a few hundred characters can take for ever. */
const fans = /"(?:\$(?:dynamic|recursive)?[rR]ef|uniqueItems|contains)":/

/** Characters of a schema that takes no long time for any value; to look after a longer one costs less than a call of a tool. */
const short = 4 * 1024

/** A decoder for a JSON Schema; it decodes nothing, it only checks. Throws where the schema is none, or has a pattern that cannot be checked. */
export const decoder = (schema: JsonSchema): Decode => {
  const text = JSON.stringify(schema)
  const bounded = text.length > short || fans.test(text)
  const done = <A>(compute: () => A) => (bounded ? withinTime(patience, compute) : Option.some(compute()))
  const validate = Option.getOrThrowWith(
    done(() => compiled(schema)),
    () => new Error("it takes too long to be compiled")
  )
  return sound((raw) => {
    const said = done(() => Either.try(() => validate(raw) as unknown))
    if (Option.isNone(said)) return Either.left([issue("", "takes too long to be checked by the tool's JSON Schema")])
    if (Either.isLeft(said.value))
      return Either.left([issue("", "cannot be checked: the tool's JSON Schema never ends")])
    // Anything else, such as a promise, is no yes.
    if (said.value.right === true) return Either.right(raw)
    const found = (validate.errors ?? []).map(issueOf)
    return Either.left(found.length > 0 ? found : [issue("", "is refused by the tool's JSON Schema")])
  })
}

/**
 * A decoder for the schema of a tool that runs elsewhere and checks its own parameters: what only a pattern that cannot be
 * checked here would refuse is left to it. Throws where the schema is none.
 */
export const foreignDecoder = (schema: JsonSchema): Decode => {
  try {
    return decoder(schema)
  } catch (cause) {
    const rest = loosened(schema)
    if (rest === undefined) throw cause
    return decoder(rest)
  }
}
