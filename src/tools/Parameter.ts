import * as Schema from "effect/Schema"

/** A parameter that may be left out. The description is the model's. */
export const optional = <A, I>(schema: Schema.Schema<A, I>, description: string) =>
  Schema.optionalWith(schema.annotations({ description }), { exact: true })

/** A whole number that may be left out, in JSON Schema without a reference. */
export const optionalCount = (least: number, most: number, description: string) =>
  Schema.optionalWith(
    Schema.Number.pipe(
      Schema.filter(
        (value) =>
          (Number.isInteger(value) && value >= least && value <= most) ||
          `Expected a whole number from ${least} to ${most}, actual ${value}`,
        { jsonSchema: { type: "integer", minimum: least, maximum: most, description } }
      )
    ),
    { exact: true }
  )
