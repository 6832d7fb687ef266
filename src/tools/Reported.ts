import * as Schema from "effect/Schema"
import { ResultFailure } from "../tool/ToolResult.ts"

/** A text for the model, and the failure it reports; decoding gives only the text. */
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
