import * as Schema from "effect/Schema"

/** What a call is about to touch, as it was when the call was shown; `baseHash` is null for a new file and for what is only read. */
export const PreviewTarget = Schema.Struct({ path: Schema.String, baseHash: Schema.NullOr(Schema.String) })
export type PreviewTarget = typeof PreviewTarget.Type

/** What a call would do, for the person who decides on it. */
export const Preview = Schema.Struct({
  /** One line, e.g. `write 3 lines to notes.md`. */
  summary: Schema.String,
  /** The unified diff that will be applied. */
  diff: Schema.optionalWith(Schema.String, { exact: true }),
  /** The parameters that the diff shows whole; all others are shown beside it. */
  shows: Schema.optionalWith(Schema.Array(Schema.String), { exact: true }),
  targets: Schema.Array(PreviewTarget),
  /** It would leave everything as it is. */
  unchanged: Schema.optionalWith(Schema.Boolean, { exact: true }),
  /** Approval holds for this call alone, regardless of the scope of the answer: its targets need approval each time. */
  once: Schema.optionalWith(Schema.Boolean, { exact: true })
})
export type Preview = typeof Preview.Type
