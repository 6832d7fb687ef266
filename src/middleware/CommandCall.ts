import * as Effect from "effect/Effect"
import { apply, type Change, type Fails, type Handles, type Provides, type Requires } from "./Middleware.ts"
import { recover } from "./recover.ts"
import type { Sealed } from "./Registry.ts"
import type { Attempted } from "./retry.ts"

/** One invocation of a command of the CLI; its name is its path in words, e.g. `sessions list`. */
export interface CommandCall extends Attempted {
  readonly kind: "command"
  readonly path: ReadonlyArray<string>
}

export const make = (...path: ReadonlyArray<string>): CommandCall => ({
  kind: "command",
  name: path.join(" "),
  path,
  attempt: 1
})

/**
 * Puts the handler of a command behind everything that is registered for it and for the commands above it; with
 * nothing registered it is the handler itself.
 */
export const handler =
  <C extends Change>(sealed: Sealed<CommandCall, C>) =>
  <Args extends ReadonlyArray<unknown>, A, E, R>(
    path: ReadonlyArray<string>,
    run: (...args: Args) => Effect.Effect<A, E, R>
  ): ((
    ...args: Args
  ) => Effect.Effect<A, Exclude<E, Handles<C>> | Fails<C>, Exclude<R, Provides<C>> | Requires<C>>) => {
    const call = make(...path)
    const middleware = sealed.for(call.name)
    return (...args) => apply(middleware, () => run(...args))(call)
  }

/** `recover` for commands: the stack goes to the log at error level. */
export const recovery = recover<CommandCall>(({ name }, detail) =>
  Effect.annotateLogs(Effect.logError("A command crashed", detail), { command: name })
)
