import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as PrivateDirectory from "../../system/PrivateDirectory.ts"
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
  PrivateDirectory.filled(
    (directory) => {
      const index = `${repository.gitDirectory}/index`
      const stat = fs.statSync(index, { throwIfNoEntry: false })
      if (stat !== undefined) {
        fs.copyFileSync(index, `${directory}/index`)
        // Git tells files that changed in the second in which the index was written by the time of the index.
        fs.utimesSync(`${directory}/index`, stat.atime, stat.mtime)
      }
      fs.mkdirSync(`${directory}/objects`)
    },
    (error) =>
      new GitRefused({
        reason: `the index cannot be copied: ${error instanceof Error ? error.message : String(error)}`
      })
  )

const line = (git: Git, args: ReadonlyArray<string>, options?: GitOptions) =>
  Effect.map(git.run(args, options), ({ stdout }) => stdout.trim())

/**
 * Puts what has changed below these paths in the index. Not by `git add`, which asks submodules for their state by running git
 * in them, with all that they configure.
 */
const stage = Effect.fnUntraced(function* (git: Git, specs: ReadonlyArray<string>, options: GitOptions) {
  const list = ["ls-files", "-z", "--others", "--exclude-standard"]
  yield* git.run([...list, "--cached", "--error-unmatch", "--", ...specs], options)
  const { stdout } = yield* git.run([...list, "--modified", "--deleted", "--", ...specs], {
    ...options,
    limit: 4 * 1024 * 1024,
    whole: true
  })
  const changed = [...new Set(stdout.split("\0").map((name) => name.replace(/\/$/, "")))].filter((name) => name !== "")
  const isReplaced = (name: string) => isDirectory(`${git.repository.top}/${name}`)
  const update = (how: ReadonlyArray<string>, names: ReadonlyArray<string>) =>
    names.length === 0
      ? Effect.void
      : git.run(["update-index", "-z", ...how, "--stdin"], {
          ...options,
          stdin: names.map((name) => `${name}\0`).join("")
        })
  yield* update(["--force-remove"], changed.filter(isReplaced))
  yield* update(
    ["--add", "--remove", "--replace"],
    changed.filter((name) => !isReplaced(name))
  )
})

/** A directory, and no repository of its own. */
const isDirectory = (place: string): boolean =>
  fs.lstatSync(place, { throwIfNoEntry: false })?.isDirectory() === true && !fs.existsSync(`${place}/.git`)

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
      reason: `${underway[state]} is in progress; finish it in a terminal or with run_shell`
    })
  }
  const scratch = yield* copyOfIndex(git)
  const objects = `${git.repository.commonDirectory}/objects`
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
    yield* stage(git, specs.map(literal), options)
  }
  const tree = yield* line(git, ["write-tree"], options)
  const parent = yield* line(git, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { accept: [1] })
  const branch = yield* line(git, ["symbolic-ref", "--quiet", "--short", "HEAD"], { accept: [1] })
  const found = yield* difference(git, ["--cached"], [":(top)"], options)
  if (found.names.length === 0) {
    return yield* new GitRefused({ reason: "nothing to commit; name the paths to commit" })
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
export const hasHooks = ({ repository, settings }: Git): boolean =>
  settings.some(({ name }) => name === "core.hookspath") ||
  hookNames.some((name) => isExecutable(`${repository.commonDirectory}/hooks/${name}`))
