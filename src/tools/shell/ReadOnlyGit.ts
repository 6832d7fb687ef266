import * as Effect from "effect/Effect"
import { judgeLexical } from "../../policy/path/PathPolicy.ts"
import type { PathContext } from "../../policy/path/PathContext.ts"
import type { ShellContext } from "../../policy/shell/ShellContext.ts"
import { excerpt } from "../../policy/shell/VisibleText.ts"
import { ask, type Verdict } from "../../policy/Verdict.ts"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import { tracked, type Tracked } from "../git/Index.ts"
import * as Repository from "../git/Repository.ts"

const untrusted = (reason: string): Verdict => ask("shell/git-untrusted", reason)

/** Tracked files that are judged by their names. */
const mostTracked = 50_000

/** Whether a text may start git. */
export const usesGit = (command: string): boolean => command.includes("git")

/**
 * How git may run unasked in the repository of the workspace: with the configuration that the git tools give it. Contents are
 * shown only where no tracked file is protected; what a past commit held under such a name is not looked for.
 */
export const readOnlyGit = (
  command: string,
  context: PathContext
): Effect.Effect<
  Pick<ShellContext, "hardenedGit" | "judgeGit" | "trusted">,
  never,
  Effect.Effect.Context<typeof Repository.find>
> =>
  !usesGit(command)
    ? Effect.succeed({ trusted: context.trusted })
    : Effect.gen(function* () {
        const sandbox = yield* Effect.serviceOption(Sandbox)
        const repository = yield* Effect.option(Repository.find)
        if (repository._tag === "None" || (sandbox._tag === "Some" && sandbox.value.describe.target === "ssh"))
          return { trusted: context.trusted }
        const { gitDirectory, top } = repository.value
        let known: Tracked | "unread" | undefined
        const judgeGit = (directory: string, showsContents: boolean): Verdict | undefined => {
          if (Repository.topOf(directory) !== top) return untrusted(`${excerpt(directory)} is in another repository.`)
          known ??= tracked(`${gitDirectory}/index`) ?? "unread"
          if (known === "unread") return untrusted("What the repository tracks cannot be read.")
          if (known.links) return untrusted("The repository has submodules, in which git runs what they configure.")
          if (!showsContents) return undefined
          if (known.names.length > mostTracked) return untrusted("The repository tracks more files than are judged.")
          const secret = known.names.find(
            (name) => judgeLexical(`${top}/${name}`, "grep", context).decision !== "allow"
          )
          return secret === undefined
            ? undefined
            : ask("shell/git-contents", `It may show ${excerpt(secret)}, which is tracked; git_diff leaves it out.`)
        }
        return { trusted: true, hardenedGit: true, judgeGit }
      })
