import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"

/** The user that owns nothing, as most systems number it. */
const nobody = 65_534

/** Root is refused nothing: until the scope closes this process has the rights of another user, who then owns these directories. */
export const unprivileged = (...directories: ReadonlyArray<string>): Effect.Effect<void, never, Scope.Scope> =>
  process.getuid?.() === 0
    ? Effect.acquireRelease(
        Effect.sync(() => {
          for (const directory of directories) fs.chownSync(directory, nobody, nobody)
          process.seteuid?.(nobody)
        }),
        () => Effect.sync(() => process.seteuid?.(0))
      )
    : Effect.void
