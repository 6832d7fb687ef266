import * as Context from "effect/Context"

/** What stops the command line: the user, or whoever ends its process, which takes nothing back that the user was asked. */
export class Stopping extends Context.Reference<Stopping>()("tollgate/cli/Stopping", {
  defaultValue: (): { readonly by: () => "user" | "shutdown" } => ({ by: () => "user" })
}) {}
