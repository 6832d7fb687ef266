import * as Effect from "effect/Effect"
import { resolve } from "node:path"
import { isWithin } from "../../policy/path/PathText.ts"
import { Workspace } from "../Workspace.ts"
import { gitDirectoryOf, physical, small, topOf } from "./GitDirectory.ts"
import { GitRefused } from "./GitError.ts"

/** The repository that the workspace is in, found without asking git, which would ask the repository's configuration. */
export interface Repository {
  /** The directory that holds `.git`: the working tree, regardless of `core.worktree`. */
  readonly top: string
  /** Where the tools look: the workspace, which may be a part of the tree. */
  readonly cwd: string
  readonly gitDirectory: string
  /** Where objects, branches and configuration are: the same, except in a linked worktree. */
  readonly commonDirectory: string
}

/** The tree that a configuration names, as git writes it into that of a submodule. */
const tree = /^\[core\]$[^[]*?^\s*worktree = ([^\s"\\#;]+)$/m

/** Whether a git directory elsewhere says itself that it belongs to this tree, as those of linked worktrees and submodules do. */
const belongs = (gitDirectory: string, top: string): boolean => {
  const back = small(`${gitDirectory}/gitdir`)
  if (back.startsWith("/")) return physical(back) === physical(`${top}/.git`)
  const [, named = ""] = tree.exec(small(`${gitDirectory}/config`)) ?? []
  return named !== "" && physical(resolve(gitDirectory, named)) === physical(top)
}

/** The directory that a git directory shares with others; undefined where it names one that it is no worktree of. */
const commonOf = (gitDirectory: string): string | undefined => {
  const target = small(`${gitDirectory}/commondir`)
  if (target === "") return gitDirectory
  const common = physical(target.startsWith("/") ? target : `${gitDirectory}/${target}`)
  return common !== undefined && isWithin(gitDirectory, `${common}/worktrees`) ? common : undefined
}

export const find: Effect.Effect<Repository, GitRefused, Workspace> = Effect.flatMap(
  Workspace,
  ({ context: { roots }, root }) =>
    Effect.suspend(() => {
      const top = topOf(root)
      if (top === undefined) return new GitRefused({ reason: "the workspace is not in a git repository" })
      const gitDirectory = gitDirectoryOf(top)
      if (gitDirectory === undefined) return new GitRefused({ reason: `${top}/.git cannot be read` })
      if (![top, ...roots].some((place) => isWithin(gitDirectory, place)) && !belongs(gitDirectory, top)) {
        return new GitRefused({ reason: `${top}/.git points to ${gitDirectory}, which is another repository` })
      }
      const commonDirectory = commonOf(gitDirectory)
      return commonDirectory === undefined
        ? new GitRefused({ reason: `${gitDirectory} takes its objects and settings from another repository` })
        : Effect.succeed({ top, cwd: root, gitDirectory, commonDirectory })
    })
)
