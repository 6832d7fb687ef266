import { Ajv, type ErrorObject, type Options } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import formats from "ajv-formats"
import * as Either from "effect/Either"
import { RE2JS } from "re2js"
import type { Decode, Issue } from "./Parameters.ts"

/**
 * Patterns of schemas that others wrote run in linear time; one that RE2 does not know (look-around, back-references) is not
 * checked here: the tool behind the schema checks its own parameters.
 */
const linear = Object.assign(
  (pattern: string) => {
    // Ajv tells patterns apart by this text.
    const toString = () => pattern
    try {
      const compiled = RE2JS.compile(pattern)
      return { test: (text: string) => compiled.matcher(text).find(), toString }
    } catch {
      return { test: () => true, toString }
    }
  },
  { code: "linear" }
)

const options: Options = {
  allErrors: true,
  strict: false,
  verbose: true,
  logger: false,
  code: { regExp: linear }
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

const issueOf = (error: ErrorObject): Issue => {
  const { data, instancePath, keyword, message = "valid", params } = error
  switch (keyword) {
    case "required":
      return { path: path(instancePath, String(params["missingProperty"])), message: "is missing" }
    case "additionalProperties":
      return { path: path(instancePath, String(params["additionalProperty"])), message: "is unexpected" }
    case "type":
      return { path: path(instancePath), message: `Expected ${String(params["type"])}, actual ${shown(data)}` }
    case "enum":
      return {
        path: path(instancePath),
        message: `Expected one of ${shown(params["allowedValues"])}, actual ${shown(data)}`
      }
    case "const":
      return { path: path(instancePath), message: `Expected ${shown(params["allowedValue"])}, actual ${shown(data)}` }
    default:
      return { path: path(instancePath), message: `Expected a value that ${message}, actual ${shown(data)}` }
  }
}

/** A schema of an unknown dialect is read as the newest one. */
const dialect = (schema: Readonly<Record<string, unknown>>) =>
  /draft-0[4-7]/.test(String(schema["$schema"] ?? "")) ? new Ajv(options) : new Ajv2020(options)

/**
 * A decoder for a JSON Schema that came from elsewhere; it decodes nothing, it only checks. With a schema that is itself
 * invalid every value is refused, and the issue says so.
 */
export const decoder = (schema: Readonly<Record<string, unknown>>): Decode => {
  try {
    const ajv = dialect(schema)
    formats.default(ajv, { mode: "fast" })
    const { $id: _id, $schema: _schema, ...rest } = schema
    const validate = ajv.compile(rest)
    return (raw) => (validate(raw) ? Either.right(raw) : Either.left((validate.errors ?? []).map(issueOf)))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.slice(0, maxShown * 2) : "unknown reason"
    return () => Either.left([{ path: "", message: `The tool's own JSON Schema cannot be used: ${reason}` }])
  }
}
