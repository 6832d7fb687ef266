import * as Schema from "effect/Schema"

/** Accepts any object; what it publishes as its JSON Schema is what it is annotated with. */
export const anyObject = Schema.Struct({}, { key: Schema.String, value: Schema.Unknown })

type JsonSchema = Readonly<Record<string, unknown>>

/** The JSON Schema of parameters as every provider takes it: of an object, at its root. One that says another type keeps it. */
export const rooted = (schema: JsonSchema): JsonSchema =>
  schema["type"] === undefined ? { properties: {}, ...schema, type: "object" } : schema

/** The types besides objects that a JSON Schema allows, if any. */
export const otherThanObject = ({ anyOf, oneOf, type }: JsonSchema): string | undefined => {
  if (type !== undefined && type !== "object") return JSON.stringify(type)
  const members: ReadonlyArray<JsonSchema> = [anyOf, oneOf].flatMap((some) => (Array.isArray(some) ? some : []))
  return members.map(otherThanObject).find((other) => other !== undefined)
}
