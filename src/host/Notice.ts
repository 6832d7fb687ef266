import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** How a person is notified of a problem that does not stop the run. Default: the log. */
export class Notice extends Context.Reference<Notice>()("tollgate/host/Notice", {
  defaultValue: (): { readonly say: (text: string) => Effect.Effect<void> } => ({ say: Effect.logWarning })
}) {}
