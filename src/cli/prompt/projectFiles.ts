import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Configuration } from "../../config/Configuration.ts"
import { workspaceOf } from "../../host/ToolServices.ts"
import { judge } from "../../policy/path/PathPolicy.ts"
import { walk } from "../../policy/path/Walk.ts"
import * as GitIgnore from "../../tools/files/GitIgnore.ts"
import { Workspace } from "../../tools/Workspace.ts"

/** Files that are listed; those of a larger project are listed in part. */
const limit = 50_000
const patience = Duration.seconds(2)

/** The files of a directory, without those that `.gitignore` excludes; as far as they are found in time. */
export const projectFiles = (directory: string): Effect.Effect<ReadonlyArray<string>, never, Configuration> =>
  Effect.gen(function* () {
    const { home, settings } = yield* Configuration
    const { context, shown } = yield* Effect.provide(
      Workspace,
      Workspace.layer(workspaceOf({ directory, home, settings }))
    )
    const found: Array<string> = []
    const top = yield* judge(directory, "list", context)
    const walked = walk(top, { skip: GitIgnore.skip(context.roots, top.path) }).pipe(
      Stream.runForEachWhile(({ kind, path }) =>
        Effect.sync(() => {
          if (kind === "file") found.push(shown(path))
          return found.length < limit
        })
      )
    )
    yield* Effect.timeoutOption(walked, patience)
    return found
  }).pipe(Effect.orElseSucceed(() => []))
