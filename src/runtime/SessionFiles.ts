import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** What a session has on the disk could not be copied or removed; its log is as it was. */
export class SessionFilesFailed extends Schema.TaggedError<SessionFilesFailed>()("SessionFilesFailed", {
  session: Schema.String,
  action: Schema.Literal("copy", "remove"),
  path: Schema.String,
  /** What the system says, as a part of a sentence. */
  reason: Schema.String
}) {
  override get message() {
    const [done, outcome, remedy] =
      this.action === "copy"
        ? ["copied", "No copy was made.", "Correct this, then copy the session again."]
        : ["removed", "The session still exists, perhaps without some of it.", "Correct this, then delete it again."]
    return `The kept file contents of session ${this.session} could not be ${done}: ${this.path}: ${this.reason}. ${outcome} ${remedy}`
  }
}

/** What sessions have on the disk beside their logs. */
export interface SessionFilesShape {
  /** Their bytes. */
  readonly size: (session: string) => Effect.Effect<number>
  /** Gives another session the same instead of what it has, before its log is written. */
  readonly copy: (from: string, to: string) => Effect.Effect<void, SessionFilesFailed>
  /** Removes all of it, before the log is deleted; what is gone already is no failure. */
  readonly remove: (session: string) => Effect.Effect<void, SessionFilesFailed>
}

/** The files of sessions; none where it is unset. */
export class SessionFiles extends Context.Reference<SessionFiles>()("tollgate/runtime/SessionFiles", {
  defaultValue: (): SessionFilesShape => ({
    size: () => Effect.succeed(0),
    copy: () => Effect.void,
    remove: () => Effect.void
  })
}) {}
