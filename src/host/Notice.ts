import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** How a person learns what they must know although everything goes on; by the log if nobody says otherwise. */
export class Notice extends Context.Reference<Notice>()("tollgate/host/Notice", {
  defaultValue: (): { readonly say: (text: string) => Effect.Effect<void> } => ({ say: Effect.logWarning })
}) {}
