import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** What sessions have on the disk beside their logs. */
export interface SessionFilesShape {
  /** Their bytes. */
  readonly size: (session: string) => Effect.Effect<number>
  /** Gives another session the same; as far as that is possible. */
  readonly copy: (from: string, to: string) => Effect.Effect<void>
  readonly remove: (session: string) => Effect.Effect<void>
}

/** The files of sessions; none where it is unset. */
export class SessionFiles extends Context.Reference<SessionFiles>()("tollgate/runtime/SessionFiles", {
  defaultValue: (): SessionFilesShape => ({
    size: () => Effect.succeed(0),
    copy: () => Effect.void,
    remove: () => Effect.void
  })
}) {}
