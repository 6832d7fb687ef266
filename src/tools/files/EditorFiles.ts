import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** An editor did not read or write a file as it was asked to; `outcome` says what is known of the file. */
export class EditorFileFailed extends Schema.TaggedError<EditorFileFailed>()("EditorFileFailed", {
  operation: Schema.Literal("read", "write"),
  path: Schema.String,
  reason: Schema.String,
  outcome: Schema.Literal("unchanged", "unknown")
}) {
  override get message() {
    const known =
      this.operation === "read"
        ? ""
        : this.outcome === "unchanged"
          ? " The file is as it was."
          : " The file may have been changed: read it before you go on."
    return `The editor did not ${this.operation} ${this.path}: ${this.reason}.${known}`
  }
}

/** The files of an editor that a person works in, with what is not saved yet. */
export interface FilesOfEditor {
  /** What is below it is read and written by the editor; physical and absolute. */
  readonly directory: string
  /** The text of a file; nothing where the editor has no such file. Unset where it shows none. */
  readonly read: ((path: string) => Effect.Effect<Option.Option<string>, EditorFileFailed>) | undefined
  /** Has the editor write and save a file; unset where it cannot. */
  readonly write: ((path: string, text: string) => Effect.Effect<void, EditorFileFailed>) | undefined
}

/** The files of the editor that a session is open in; unset where tools use the disk alone. */
export class EditorFiles extends Context.Reference<EditorFiles>()("tollgate/tools/files/EditorFiles", {
  defaultValue: (): FilesOfEditor | undefined => undefined
}) {}
