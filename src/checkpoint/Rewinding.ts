import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { FileStep, RestoredFile } from "./FileStep.ts"

/** The files could not be put back; none of them was changed. */
export class RestoreFailed extends Schema.TaggedError<RestoreFailed>()("RestoreFailed", { reason: Schema.String }) {
  override get message() {
    return `The files were not put back: ${this.reason}.`
  }
}

/** What a rewind would do to one file. */
export const FileRestore = Schema.Struct({
  /** As people know it: relative to the workspace where it is inside. */
  path: Schema.String,
  change: Schema.Literal("created", "modified", "deleted"),
  /** The change as a unified diff, or its beginning. */
  diff: Schema.optionalWith(Schema.Struct({ text: Schema.String, omitted: Schema.Number }), { exact: true })
})
export type FileRestore = typeof FileRestore.Type

/** A file that a rewind leaves as it is, and why. */
export const FileLeft = Schema.Struct({ path: Schema.String, reason: Schema.String })
export type FileLeft = typeof FileLeft.Type

/** What a rewind of files comes to. */
export interface FilePlan {
  readonly files: ReadonlyArray<FileRestore>
  readonly left: ReadonlyArray<FileLeft>
  /** Names the files and the states that this was worked out for. */
  readonly digest: string
}

/** What was done of it. */
export interface Restored {
  readonly restored: ReadonlyArray<RestoredFile>
  readonly left: ReadonlyArray<FileLeft>
}

/** Brings files of a session back to where they were before some steps, which are in their order. */
export interface Rewinding {
  readonly plan: (session: string, steps: ReadonlyArray<FileStep | RestoredFile>) => Effect.Effect<FilePlan>
  /** Does it all or nothing; with a digest, only if the plan is still that one. */
  readonly restore: (
    session: string,
    steps: ReadonlyArray<FileStep | RestoredFile>,
    digest: string | undefined
  ) => Effect.Effect<Restored, RestoreFailed>
}
