import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { PathRefused } from "../policy/path/PathRefused.ts"
import * as Tool from "../tool/Tool.ts"
import * as Git from "./git/Git.ts"
import { GitFailed, GitRefused } from "./git/GitError.ts"
import { inTree, literal } from "./git/pathspec.ts"
import { optional } from "./Parameter.ts"
import { Workspace } from "./Workspace.ts"

const parameters = Schema.Struct({
  path: optional(Schema.String, "Tell only of this file or directory. Default: the workspace.")
})

export const GitStatus = Tool.make("git_status", {
  description:
    "The branch and the changed, staged and untracked files of the workspace, as `git status --short --branch` gives them.",
  label: "Git status",
  category: "git",
  parameters,
  success: Schema.String,
  failure: Schema.Union(GitRefused, GitFailed, PathRefused),
  readOnly: true,
  handler: ({ path }) =>
    Effect.gen(function* () {
      const { context } = yield* Workspace
      const git = yield* Git.open("none")
      const place = path === undefined ? "." : literal(yield* inTree(path, git.repository, context))
      const args = ["status", "--short", "--branch", "--ignore-submodules=dirty", "--no-ahead-behind", "--", place]
      const { stdout } = yield* git.run(args, { limit: 64 * 1024 })
      const status = stdout.trimEnd()
      return status.includes("\n") ? status : `${status}\n[nothing has changed]`
    })
})
