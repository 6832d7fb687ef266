import * as Context from "effect/Context"

/** What stops the command line: the user, or whoever ends its process, which takes nothing back that the user was asked. */
export class Stopping extends Context.Reference<Stopping>()("tollgate/cli/Stopping", {
  defaultValue: (): {
    readonly by: () => "user" | "shutdown"
    /** Hears of Ctrl-C from now on in place of what would end the command; gives what ends that. */
    readonly claim: (interrupted: () => void) => () => void
    /** Ends the command as Ctrl-C does that nobody claims. */
    readonly interrupt: () => void
  } => ({ by: () => "user", claim: () => () => {}, interrupt: () => {} })
}) {}
