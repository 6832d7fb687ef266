import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import type { AnyTool } from "./ToolCall.ts"

/** What a person fills in for one parameter of a tool. */
export interface ToolField {
  /** Names joined by dots where it is part of an object, e.g. `range.start`. */
  readonly name: string
  /** `json` is for what no other type can say, e.g. a list. */
  readonly type: "text" | "number" | "select" | "boolean" | "json"
  readonly required: boolean
  readonly description: string
  /** Of `select`. */
  readonly options?: ReadonlyArray<string | number>
  /** What the tool takes where nothing is given. */
  readonly fallback?: unknown
}

type Json = Readonly<Record<string, unknown>>

/** Levels of objects whose members are fields of their own. */
const maxNesting = 4

const resolved = (schema: Json, root: Json): Json => {
  const ref = schema["$ref"]
  const name = typeof ref === "string" ? /^#\/(?:\$defs|definitions)\/(.+)$/.exec(ref)?.[1] : undefined
  const found =
    name === undefined ? undefined : [root["$defs"], root["definitions"]].filter(Predicate.isReadonlyRecord)[0]?.[name]
  return Predicate.isReadonlyRecord(found) ? { ...found, ...schema, $ref: undefined } : schema
}

/** The literals that a schema allows, if it allows nothing else. */
const choices = (schema: Json): ReadonlyArray<string | number> | undefined => {
  const literal = (value: unknown) => typeof value === "string" || typeof value === "number"
  if (Array.isArray(schema["enum"])) return schema["enum"].every(literal) ? schema["enum"] : undefined
  if ("const" in schema) return literal(schema["const"]) ? [schema["const"] as string | number] : undefined
  const some: unknown = schema["anyOf"] ?? schema["oneOf"]
  if (!Array.isArray(some)) return undefined
  const parts = some.map((part) => (Predicate.isReadonlyRecord(part) ? choices(part) : undefined))
  return parts.every((part) => part !== undefined) ? parts.flat() : undefined
}

const within = (
  schema: Json,
  root: Json,
  prefix: string,
  required: boolean,
  depth: number
): ReadonlyArray<ToolField> => {
  const { properties, required: named } = schema
  const needed: ReadonlyArray<unknown> = Array.isArray(named) ? named : []
  return Object.entries(Predicate.isReadonlyRecord(properties) ? properties : {}).flatMap(
    ([key, given]): ReadonlyArray<ToolField> => {
      if (!Predicate.isReadonlyRecord(given)) return []
      const property = resolved(given, root)
      const name = `${prefix}${key}`
      const isRequired = required && needed.includes(key)
      if (
        property["type"] === "object" &&
        Predicate.isReadonlyRecord(property["properties"]) &&
        depth < maxNesting &&
        !key.includes(".")
      ) {
        return within(property, root, `${name}.`, isRequired, depth + 1)
      }
      const description = typeof property["description"] === "string" ? property["description"] : ""
      const fallback = "default" in property ? { fallback: property["default"] } : {}
      const field = { name, required: isRequired && !("default" in property), description, ...fallback }
      const options = choices(property)
      if (options !== undefined) return [{ ...field, type: "select", options }]
      switch (property["type"]) {
        case "string":
          return [{ ...field, type: "text" }]
        case "number":
        case "integer":
          return [{ ...field, type: "number" }]
        case "boolean":
          return [{ ...field, type: "boolean" }]
        default:
          return [{ ...field, type: "json" }]
      }
    }
  )
}

/** The fields of a tool, derived from the JSON Schema of its parameters. */
export const fieldsOf = (tool: Pick<AnyTool, "codec">): ReadonlyArray<ToolField> => {
  const schema = tool.codec.jsonSchema()
  return within(schema, schema, "", true, 1)
}

const yes = /^(?:y|yes|true|on|1)$/i
const no = /^(?:n|no|false|off|0)$/i

/** The value that a person's text stands for, or what the field takes instead. */
export const parse = ({ name, options = [], type }: ToolField, text: string): Either.Either<unknown, string> => {
  const said = text.trim()
  const wrong = (what: string) => Either.left(`${name} takes ${what}, not ${JSON.stringify(text.slice(0, 80))}`)
  switch (type) {
    case "text":
      return Either.right(text)
    case "number":
      return said !== "" && Number.isFinite(Number(said)) ? Either.right(Number(said)) : wrong("a number")
    case "boolean":
      return yes.test(said) ? Either.right(true) : no.test(said) ? Either.right(false) : wrong("yes or no")
    case "select": {
      const found = options.find((option) => String(option) === said)
      return found === undefined ? wrong(`one of ${options.join(", ")}`) : Either.right(found)
    }
    case "json":
      return Either.mapLeft(
        Either.try((): unknown => JSON.parse(said)),
        () => `${name} takes JSON, not ${JSON.stringify(text.slice(0, 80))}`
      )
  }
}

/** The parameters with the value at a dotted name; a part of the name that is no object is replaced. */
export const assign = (parameters: Json, name: string, value: unknown): Json => {
  const [first = "", ...rest] = name.split(".")
  if (rest.length === 0) return Object.fromEntries([...Object.entries(parameters), [first, value]])
  const inner = Object.hasOwn(parameters, first) ? parameters[first] : undefined
  return Object.fromEntries([
    ...Object.entries(parameters),
    [first, assign(Predicate.isReadonlyRecord(inner) ? inner : {}, rest.join("."), value)]
  ])
}
