import * as Schema from "effect/Schema"

/** A file as it was before a call changed it. */
export const ReplacedFile = Schema.Struct({
  /** Of its content, in hexadecimal. */
  sha256: Schema.String,
  bytes: Schema.Number,
  /** The permission bits. */
  mode: Schema.Number,
  /** Why its content was not kept; it was kept if unset. */
  notKept: Schema.optionalWith(Schema.String, { exact: true })
})
export type ReplacedFile = typeof ReplacedFile.Type

/** One file from one state to the next. */
export const FileStep = Schema.Struct({
  /** Absolute, every symlink resolved. */
  path: Schema.String,
  /** Null where there was none. */
  before: Schema.NullOr(ReplacedFile),
  /** The SHA-256 of what it becomes; null where it is deleted. */
  after: Schema.NullOr(Schema.String),
  /** The directories that are made for it, outermost first. */
  directories: Schema.optionalWith(Schema.Array(Schema.String), { exact: true })
})
export type FileStep = typeof FileStep.Type

/** A file that was put back: the SHA-256 of what it was and is; null where there is none. */
export const RestoredFile = Schema.Struct({
  path: Schema.String,
  from: Schema.NullOr(Schema.String),
  to: Schema.NullOr(Schema.String)
})
export type RestoredFile = typeof RestoredFile.Type
