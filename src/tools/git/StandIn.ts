import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import * as PrivateDirectory from "../../system/PrivateDirectory.ts"
import { GitRefused } from "./GitError.ts"
import type { Repository } from "./Repository.ts"
import { render, type Setting } from "./Setting.ts"

/**
 * A directory that git takes for what a repository shares among its worktrees: objects, branches and their logs are links to
 * the repository's own, the configuration is written by us, and there are no hooks. So whatever the repository configures,
 * git never reads it.
 */
export interface StandIn {
  readonly path: string
  readonly configure: (settings: ReadonlyArray<Setting>) => Effect.Effect<void, GitRefused>
}

/** Without it the first branch of a repository would have its log in the stand-in. */
const made = ["logs"]
const linked = ["objects", "refs", "reftable", "packed-refs", "logs", "info", "shallow", "lfs"]

const exists = (path: string): boolean => fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined

const failed = (error: unknown) =>
  new GitRefused({
    reason: `its temporary directory cannot be made: ${error instanceof Error ? error.message : String(error)}`
  })

const minimal: ReadonlyArray<Setting> = [
  { scope: "local", name: "core.bare", value: "false" },
  { scope: "local", name: "core.repositoryformatversion", value: "0" }
]

/** For commands that write as well, unless `writes` is false. */
export const make = (
  { commonDirectory }: Repository,
  writes: boolean
): Effect.Effect<StandIn, GitRefused, Scope.Scope> =>
  Effect.map(
    PrivateDirectory.filled((directory) => {
      if (writes) for (const name of made) fs.mkdirSync(`${commonDirectory}/${name}`, { recursive: true })
      for (const name of linked) {
        const target = `${commonDirectory}/${name}`
        if (exists(target)) fs.symlinkSync(target, `${directory}/${name}`)
      }
      fs.writeFileSync(`${directory}/config`, render(minimal))
    }, failed),
    (path) => ({
      path,
      configure: (settings) =>
        Effect.try({
          try: () => fs.writeFileSync(`${path}/config`, render([...minimal, ...settings])),
          catch: failed
        })
    })
  )
