import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import { judge, judgeLexical } from "../policy/path/PathPolicy.ts"
import { walk } from "../policy/path/Walk.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"
import * as GitIgnore from "../tools/files/GitIgnore.ts"
import * as Git from "../tools/git/Git.ts"
import { topOf } from "../tools/git/GitDirectory.ts"
import { Workspace } from "../tools/Workspace.ts"

/** Files that are listed; those of a larger project are listed in part. */
const limit = 50_000
const patience = Duration.seconds(2)

/** Bytes of git's list; where it is longer, we look ourselves until there are enough. */
const listLimit = 8 * 1024 * 1024

/** The files of a directory as a person names them. */
export interface ProjectFiles {
  /** From the directory, what lies higher first. */
  readonly names: ReadonlyArray<string>
  /** Whether there is a file of this name now, and none that tools are kept from. */
  readonly has: (name: string) => boolean
}

/** Without a project to look in. */
export const noFiles: ProjectFiles = { names: [], has: () => false }

const isFile = (path: string): boolean => {
  try {
    return fs.lstatSync(path).isFile()
  } catch {
    return false
  }
}

const depthOf = (name: string): number => {
  let depth = 0
  for (let at = name.indexOf("/"); at >= 0; at = name.indexOf("/", at + 1)) depth++
  return depth
}

const highestFirst = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const levels: Array<Array<string>> = []
  for (const name of names) (levels[depthOf(name)] ??= []).push(name)
  return levels.flatMap((level) => level.sort())
}

/**
 * What git tracks and what it would, which is never none. Without the sandbox, whose start takes longer than the list: this git
 * reads names, and nothing that the repository or the user configured runs.
 */
const byGit = Effect.gen(function* () {
  const git = yield* Git.open({ filters: "none", writes: false })
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
  const { stdout } = yield* git.run(args, { limit: listLimit, whole: true, time: patience })
  return new Set(stdout.split("\0", limit).filter((name) => name !== ""))
}).pipe(
  Effect.scoped,
  Effect.provide(Sandbox.layerNone),
  Effect.filterOrFail(({ size }) => size > 0)
)

/** The same by our own eyes, as far as it is found in time. */
const byWalk = Effect.gen(function* () {
  const { context, root, shown } = yield* Workspace
  const found: Array<string> = []
  const top = yield* judge(root, "list", context)
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
})

/** The files of the workspace without those that git ignores, by git's list where it is in a repository. */
export const projectFiles = Effect.gen(function* () {
  const { context, root } = yield* Workspace
  const listed = topOf(root) === undefined ? byWalk : Effect.orElse(Effect.timeout(byGit, patience), () => byWalk)
  const names = yield* Effect.orElseSucceed(listed, (): ReadonlyArray<string> => [])
  return {
    names: highestFirst([...names]),
    has: (name) => judgeLexical(`${root}/${name}`, "read", context).decision !== "deny" && isFile(`${root}/${name}`)
  } satisfies ProjectFiles as ProjectFiles
})
