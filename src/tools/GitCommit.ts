import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { FileFailure } from "../policy/path/FileFailure.ts"
import { PathRefused } from "../policy/path/PathRefused.ts"
import { makeVisible } from "../text/visible.ts"
import * as Tool from "../tool/Tool.ts"
import type { PreviewTarget } from "../tool/Preview.ts"
import { commit, commitPlan, hasHooks, settleIndex, type CommitPlan } from "./git/Commit.ts"
import * as Git from "./git/Git.ts"
import { withheldNote } from "./git/diff.ts"
import { GitFailed, GitRefused, GitStale } from "./git/GitError.ts"
import { optional } from "./Parameter.ts"

const parameters = Schema.Struct({
  message: Schema.String.pipe(Schema.pattern(/\S/), Schema.maxLength(20_000)).annotations({
    description: "A subject line, then an empty line and details if there are any."
  }),
  paths: optional(
    Schema.Array(Schema.String).pipe(Schema.maxItems(500)),
    "Files and directories to commit as well, new and deleted files included. Default: only staged changes."
  )
})

/** The commit that is shown is the one that is made: of this tree, on this parent. */
const targets = (
  { gitDirectory }: Git.Git["repository"],
  { parent, tree }: CommitPlan
): ReadonlyArray<PreviewTarget> => [
  { path: `git:${gitDirectory} HEAD`, baseHash: parent ?? null },
  { path: `git:${gitDirectory} tree`, baseHash: tree }
]

const subjectOf = (message: string): string => makeVisible(message.trim().split("\n", 1)[0] ?? "").slice(0, 200)

/**
 * Hooks do not run: which ones there are, and what they do, is in no diff that was shown. Nor does it sign: there is nobody to
 * ask for a passphrase. Whoever wants either commits in a terminal.
 */
export const GitCommit = Tool.make("git_commit", {
  description:
    "Commits staged changes and those of the given paths. The user sees the difference and decides. Hooks " +
    "do not run, and the commit is not signed.",
  label: "Git commit",
  category: "git",
  mode: "both",
  timeout: "5 minutes",
  parameters,
  success: Schema.String,
  failure: Schema.Union(GitRefused, GitFailed, GitStale, PathRefused, FileFailure),
  // What is staged may be of any file, and is committed as well.
  touches: ({ paths = [] }) => ({
    paths: [
      { path: ".git", op: "write" },
      ...[".", ...paths].map((path) => ({ path, op: "read", below: "all" }) as const)
    ]
  }),
  approval: "always",
  preview: ({ message, paths }) =>
    Effect.gen(function* () {
      const git = yield* Git.open({ filters: "users", writes: false })
      const plan = yield* commitPlan(git, paths ?? [], true)
      const { names, text, withheld } = plan.difference
      const secrets =
        withheld.length === 0 ? "" : `, some of which may hold secrets (${withheld.slice(0, 5).join(", ")})`
      const files = `${names.length} ${names.length === 1 ? "file" : "files"}${secrets}`
      return {
        summary: makeVisible(`commit ${files} on ${plan.branch}: ${subjectOf(message)}`),
        diff: [text.trimEnd(), ...withheldNote(plan.difference)].join("\n"),
        targets: targets(git.repository, plan)
      }
    }).pipe(Effect.scoped),
  handler: ({ message, paths }, call) =>
    Effect.gen(function* () {
      const git = yield* Git.open({ filters: "users", writes: true })
      const plan = yield* commitPlan(git, paths ?? [], false)
      const now = targets(git.repository, plan)
      const shown = call.preview?.targets
      const isSame =
        shown === undefined ||
        now.every(({ baseHash, path }, at) => shown[at]?.path === path && shown[at].baseHash === baseHash)
      if (shown === undefined && call.decided !== true)
        return yield* new GitRefused({ reason: "a commit needs approval, and no one was asked" })
      if (!isSame) return yield* new GitStale({ what: "What would be committed" })
      const [made, unsettled] = yield* Effect.uninterruptible(
        Effect.gen(function* () {
          const id = yield* commit(git, plan, message)
          if (paths === undefined) return [id, ""] as const
          const note = yield* Effect.match(settleIndex(git, plan), {
            onFailure: (error) => `\n[the commit is made, but the index was not updated: ${error.message}]`,
            onSuccess: () => ""
          })
          return [id, note] as const
        })
      )
      const skipped = hasHooks(git) ? "\n[the hooks of the repository did not run]" : ""
      return `committed ${made.slice(0, 12)} on ${plan.branch}: ${subjectOf(message)}${unsettled}${skipped}`
    }).pipe(Effect.scoped)
})
