import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as os from "node:os"
import { attempt } from "../../policy/path/FileFailure.ts"
import { Workspace } from "../Workspace.ts"
import { difference, type Difference } from "./diff.ts"
import type { Git, GitOptions } from "./Git.ts"
import { GitRefused } from "./GitError.ts"
import { inTree, literal } from "./pathspec.ts"

/** A commit that could be made, and what it would change. */
export interface CommitPlan {
  /** The commit it follows; undefined on a branch without any. */
  readonly parent: string | undefined
  readonly branch: string
  /** What it holds, by the object that git makes of it. */
  readonly tree: string
  readonly difference: Difference
}

const underway: Readonly<Record<string, string>> = {
  MERGE_HEAD: "a merge",
  CHERRY_PICK_HEAD: "a cherry-pick",
  REVERT_HEAD: "a revert",
  "rebase-merge": "a rebase",
  "rebase-apply": "a rebase"
}

/** A directory with a copy of the index, removed with the scope. */
const copyOfIndex = ({ repository }: Git) =>
  Effect.acquireRelease(
    attempt("create", os.tmpdir(), () => {
      const directory = fs.mkdtempSync(`${fs.realpathSync(os.tmpdir())}/tollgate-index-`)
      const index = `${repository.gitDirectory}/index`
      const stat = fs.statSync(index, { throwIfNoEntry: false })
      if (stat !== undefined) {
        fs.copyFileSync(index, `${directory}/index`)
        // Git tells files that changed in the second in which the index was written by the time of the index.
        fs.utimesSync(`${directory}/index`, stat.atime, stat.mtime)
      }
      fs.mkdirSync(`${directory}/objects`)
      return directory
    }),
    (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
  )

const line = (git: Git, args: ReadonlyArray<string>, options?: GitOptions) =>
  Effect.map(git.run(args, options), ({ stdout }) => stdout.trim())

/**
 * Works out a commit in a copy of the index, so that the real one stays as it is. `dry` keeps what git makes for it out of the
 * repository as well; otherwise the objects of the commit are there afterwards.
 */
export const commitPlan = Effect.fnUntraced(function* (git: Git, paths: ReadonlyArray<string>, dry: boolean) {
  const { context } = yield* Workspace
  const { gitDirectory } = git.repository
  const state = Object.keys(underway).find((name) => fs.existsSync(`${gitDirectory}/${name}`))
  if (state !== undefined) {
    return yield* new GitRefused({
      reason: `${underway[state]} is under way; finish it in a terminal or with run_shell`
    })
  }
  const scratch = yield* copyOfIndex(git)
  const objects = yield* line(git, ["rev-parse", "--path-format=absolute", "--git-path", "objects"])
  const options: GitOptions = {
    write: !dry,
    scratch: [scratch],
    env: {
      GIT_INDEX_FILE: `${scratch}/index`,
      ...(dry ? { GIT_OBJECT_DIRECTORY: `${scratch}/objects`, GIT_ALTERNATE_OBJECT_DIRECTORIES: objects } : {})
    }
  }
  if (paths.length > 0) {
    const specs = yield* Effect.forEach(paths, (path) => inTree(path, git.repository, context))
    yield* git.run(["add", "--all", "--", ...specs.map(literal)], options)
  }
  const tree = yield* line(git, ["write-tree"], options)
  const parent = yield* line(git, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { accept: [1] })
  const branch = yield* line(git, ["symbolic-ref", "--quiet", "--short", "HEAD"], { accept: [1] })
  const found = yield* difference(git, ["--cached"], [":(top)"], options)
  if (found.names.length === 0) {
    return yield* new GitRefused({ reason: "there is nothing to commit; name the paths whose changes are meant" })
  }
  return {
    parent: parent || undefined,
    branch: branch || "a detached HEAD",
    tree,
    difference: found
  } satisfies CommitPlan
})

/** Makes the planned commit and moves the branch from the parent to it, if it is still there. Runs no hook. */
export const commit = Effect.fnUntraced(function* (git: Git, { parent, tree }: CommitPlan, message: string) {
  const parents = parent === undefined ? [] : ["-p", parent]
  const made = yield* line(git, ["commit-tree", "--no-gpg-sign", ...parents, "-F", "-", tree], {
    write: true,
    stdin: `${message.trim()}\n`
  })
  const [subject = ""] = message.trim().split("\n")
  const nothing = "0".repeat(made.length)
  yield* git.run(["update-ref", "-m", `commit: ${subject}`, "HEAD", made, parent ?? nothing], { write: true })
  return made
})

/** Brings the real index to a tree that was committed from a copy. */
export const settleIndex = Effect.fnUntraced(function* (git: Git, { tree }: CommitPlan) {
  yield* git.run(["read-tree", "--reset", tree], { write: true })
  yield* git.run(["update-index", "-q", "--refresh"], { write: true, accept: [1] })
})

const hookNames = ["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"]

const isExecutable = (file: string): boolean => {
  try {
    fs.accessSync(file, fs.constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Whether git would have run hooks for a commit. */
export const hasHooks = (git: Git) =>
  Effect.map(
    git.configured(String.raw`^core\.hookspath$`),
    (configured) =>
      configured.length > 0 || hookNames.some((name) => isExecutable(`${git.repository.gitDirectory}/hooks/${name}`))
  )
