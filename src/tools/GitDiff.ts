import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { PathRefused } from "../policy/path/PathRefused.ts"
import * as Tool from "../tool/Tool.ts"
import { difference, withheldNote } from "./git/diff.ts"
import * as Git from "./git/Git.ts"
import { GitFailed, GitRefused } from "./git/GitError.ts"
import { inTree, literal } from "./git/pathspec.ts"
import { optional } from "./Parameter.ts"
import { Withheld } from "./files/Withheld.ts"
import { Workspace } from "./Workspace.ts"

const parameters = Schema.Struct({
  path: optional(Schema.String, "Show only this file or directory."),
  staged: optional(Schema.Boolean, "Show staged changes instead of unstaged ones. Default: false."),
  base: optional(
    Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9][\w./~^@{}-]{0,199}$/)),
    "Compare with this commit or branch instead, e.g. `main` or `HEAD~1`."
  )
})

export const GitDiff = Tool.make("git_diff", {
  description: "The changes of the workspace as a unified diff; the middle of a long one is left out.",
  label: "Git diff",
  category: "git",
  mode: "both",
  parameters,
  success: Schema.String,
  failure: Schema.Union(GitRefused, GitFailed, PathRefused),
  readOnly: true,
  touches: ({ path = "." }) => ({ paths: [{ path, op: "read", below: "unwithheld" }] }),
  handler: ({ base, path, staged }, call) =>
    Effect.gen(function* () {
      const { context } = yield* Workspace
      const git = yield* Git.open({ filters: "none", writes: false })
      const paths = path === undefined ? ["."] : [literal(yield* inTree(path, git.repository, context))]
      const selection = [...(staged === true ? ["--cached"] : []), ...(base === undefined ? [] : [base])]
      const ruled = new Withheld(call)
      const found = yield* difference(git, selection, paths, { limit: 64 * 1024 }, ruled)
      const text = found.text.trimEnd()
      return [
        ...(text === "" && found.names.length === 0 ? ["[no changes]"] : [text]),
        ...withheldNote(found),
        ...ruled.notes
      ].join("\n")
    }).pipe(Effect.scoped)
})
