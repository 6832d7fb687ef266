import * as Schema from "effect/Schema"
import { ResultFailure } from "../tool/ToolResult.ts"

/** A text for the model, and the failure that it tells of. Who decodes it has the text alone. */
export const Reported = Schema.transform(
  Schema.String,
  Schema.typeSchema(
    Schema.Struct({ text: Schema.String, failed: Schema.optionalWith(ResultFailure, { exact: true }) })
  ),
  { strict: true, decode: (text) => ({ text }), encode: ({ text }) => text }
)
export type Reported = typeof Reported.Type

/** The failure of a report. */
export const failureOf = ({ failed }: Reported): ResultFailure | undefined => failed
