import * as Schema from "effect/Schema"

/** A file that a call is about to touch, as it was when the call was shown; `baseHash` is null for a new file. */
export const PreviewTarget = Schema.Struct({ path: Schema.String, baseHash: Schema.NullOr(Schema.String) })
export type PreviewTarget = typeof PreviewTarget.Type

/** What a call would do, for the person who decides on it. */
export const Preview = Schema.Struct({
  /** One line, e.g. `write 3 lines to notes.md`. */
  summary: Schema.String,
  /** The unified diff that will be applied. */
  diff: Schema.optionalWith(Schema.String, { exact: true }),
  targets: Schema.Array(PreviewTarget)
})
export type Preview = typeof Preview.Type
