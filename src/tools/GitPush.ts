import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Redactor } from "../redaction/Redactor.ts"
import { makeVisible } from "../text/visible.ts"
import type { PreviewTarget } from "../tool/Preview.ts"
import * as Tool from "../tool/Tool.ts"
import * as Git from "./git/Git.ts"
import { GitFailed, GitRefused, GitStale } from "./git/GitError.ts"
import { push, pushPlan, type PushPlan } from "./git/Push.ts"
import { optional } from "./Parameter.ts"

const parameters = Schema.Struct({
  remote: optional(Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9][\w.-]{0,99}$/)), "Default: origin."),
  branch: optional(Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9][\w./-]{0,199}$/)), "Default: the current branch.")
})

const targets = ({ branch, commit, urls }: PushPlan): ReadonlyArray<PreviewTarget> =>
  urls.map((url) => ({ path: `git:${url} ${branch}`, baseHash: commit }))

const number = (ahead: number | undefined): string =>
  ahead === undefined ? "a new branch" : `${ahead} ${ahead === 1 ? "commit" : "commits"}`

/** Only a person invokes it, and is asked all the same: where it goes is shown as git will resolve it. */
export const GitPush = Tool.make("git_push", {
  description: "Sends the commits of a branch to a remote, never by force and without running hooks.",
  label: "Git push",
  category: "git",
  mode: "manual",
  risk: "high",
  timeout: "12 minutes",
  parameters,
  success: Schema.String,
  failure: Schema.Union(GitRefused, GitFailed, GitStale),
  approval: "always",
  preview: (params) =>
    Effect.gen(function* () {
      const plan = yield* pushPlan(yield* Git.open({ filters: "none", writes: false }), params)
      const { ahead, branch, commit, remote, urls } = plan
      return {
        summary: makeVisible(
          `push ${branch} (${commit.slice(0, 12)}, ${number(ahead)}) to ${remote}: ${urls.join(", ")}`
        ),
        targets: targets(plan),
        once: true
      }
    }).pipe(Effect.scoped),
  handler: (params, call) =>
    Effect.gen(function* () {
      const git = yield* Git.open({ filters: "none", writes: true })
      const plan = yield* pushPlan(git, params)
      const shown = call.preview?.targets
      if (call.decided !== true) return yield* new GitRefused({ reason: "a push needs approval, and no one was asked" })
      const now = targets(plan)
      const isSame =
        shown === undefined ||
        (now.length === shown.length &&
          now.every(({ baseHash, path }, at) => shown[at]?.path === path && shown[at].baseHash === baseHash))
      if (!isSame) return yield* new GitStale({ what: "What would be pushed, or where to," })
      const redactor = yield* Redactor
      return redactor.text(
        `pushed ${plan.branch} (${plan.commit.slice(0, 12)}) to ${plan.remote}\n${(yield* push(git, plan)).trim()}`
      )
    }).pipe(Effect.scoped)
})
