import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { PathRefused } from "../policy/path/PathRefused.ts"
import * as Tool from "../tool/Tool.ts"
import * as Git from "./git/Git.ts"
import { GitFailed, GitRefused } from "./git/GitError.ts"
import { inTree, literal, without } from "./git/pathspec.ts"
import { optional } from "./Parameter.ts"
import { Withheld } from "./files/Withheld.ts"
import { Workspace } from "./Workspace.ts"

const parameters = Schema.Struct({
  path: optional(Schema.String, "Show only this file or directory. Default: the workspace.")
})

/** Files left out at most; beyond that nothing is shown. */
const mostHidden = 200

/** The names in an answer of `status -z`; that of an untracked directory ends in a slash there. */
const changed = (answer: string): ReadonlyArray<string> =>
  answer
    .split("\0")
    .map((entry) => entry.replace(/^[ A-Z?!]{2} /, "").replace(/\/$/, ""))
    .filter((name) => name !== "")

export const GitStatus = Tool.make("git_status", {
  description:
    "The branch and the changed, staged and untracked files of the workspace, as `git status --short --branch` gives them.",
  label: "Git status",
  category: "git",
  mode: "both",
  parameters,
  success: Schema.String,
  failure: Schema.Union(GitRefused, GitFailed, PathRefused),
  readOnly: true,
  touches: ({ path = "." }) => ({ paths: [{ path, op: "list", below: "unwithheld" }], complete: true }),
  handler: ({ path }, call) =>
    Effect.gen(function* () {
      const { context } = yield* Workspace
      const git = yield* Git.open({ filters: "none", writes: false })
      const place = path === undefined ? "." : literal(yield* inTree(path, git.repository, context))
      const status = (...args: ReadonlyArray<string>) => ["status", "--short", "--ignore-submodules=dirty", ...args]
      const withheld = new Withheld(call)
      const names =
        call.withheld === undefined
          ? []
          : changed(
              (yield* git.run(status("-z", "--no-renames", "--", place), { limit: 4 * 1024 * 1024, whole: true }))
                .stdout
            )
      const hidden = names.filter((name) => withheld.has(`${git.repository.top}/${name}`)).map(without)
      if (hidden.length > mostHidden) return [...withheld.notes, "[name a path outside the withheld ones]"].join("\n")
      const args = status("--branch", "--no-ahead-behind", "--", place, ...hidden)
      const { stdout } = yield* git.run(args, { limit: 64 * 1024 })
      const told = stdout.trimEnd()
      const more = withheld.notes
      return [told, ...(told.includes("\n") || more.length > 0 ? [] : ["[no changes]"]), ...more].join("\n")
    }).pipe(Effect.scoped)
})
