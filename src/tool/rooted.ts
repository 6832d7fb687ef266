import * as Schema from "effect/Schema"

/** Accepts any object; what it publishes as its JSON Schema is what it is annotated with. */
export const anyObject = Schema.Struct({}, { key: Schema.String, value: Schema.Unknown })

/** The JSON Schema of parameters as every provider takes it: of an object, at its root. */
export const rooted = (schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  schema["type"] === "object" ? schema : { properties: {}, ...schema, type: "object" }
