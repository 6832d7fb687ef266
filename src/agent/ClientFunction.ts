import * as Schema from "effect/Schema"

/** A function of a frontend's own, which the model may call and the frontend runs. */
export const ClientFunction = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  /** The JSON Schema of its parameters, which are an object. */
  parameters: Schema.Record({ key: Schema.String, value: Schema.Unknown })
}).annotations({ identifier: "ClientFunction" })
export type ClientFunction = typeof ClientFunction.Type

/** Functions that a session may have at a time. */
export const maxFunctions = 128
