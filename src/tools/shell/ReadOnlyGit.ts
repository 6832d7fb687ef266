import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import { judgeLexical } from "../../policy/path/PathPolicy.ts"
import type { PathContext } from "../../policy/path/PathContext.ts"
import type { GitContents } from "../../policy/shell/GitContents.ts"
import type { ShellContext } from "../../policy/shell/ShellContext.ts"
import { excerpt } from "../../text/excerpt.ts"
import { allow, ask, type Verdict } from "../../policy/Verdict.ts"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import * as Git from "../git/Git.ts"
import { topOf } from "../git/GitDirectory.ts"
import { tracked, type Tracked } from "../git/Index.ts"
import * as Repository from "../git/Repository.ts"
import { shownSecret } from "../git/Shown.ts"

const untrusted = (reason: string): Verdict => ask("shell/git-untrusted", reason)

const contents = (reason: string): Verdict => ask("shell/git-contents", reason)

/** Tracked files that are judged by their names. */
const mostTracked = 50_000

/** Bytes of names of files in past commits, and how long git may take to list them. */
const mostNames = 1024 * 1024
const listingTime = "3 seconds"

/** Whether a text may start git. */
export const usesGit = (command: string): boolean => command.includes("git")

interface Listing {
  readonly directory: string
  readonly args: ReadonlyArray<string>
}

/** How git may run without asking, and the verdict on past commits it would show. */
export interface ReadOnlyGit extends Pick<ShellContext, "hardenedGit" | "judgeGit" | "trusted"> {
  readonly judgePast: Effect.Effect<Verdict, never, Exclude<Effect.Effect.Context<ReturnType<typeof Git.open>>, Scope>>
}

const harmless = allow("shell/git-contents", "Shows no protected file.")
const unlisted = contents("May show or search protected files of past commits.")

/**
 * How git may run unasked in the repository of the workspace: with the configuration that the git tools give it. Contents are
 * shown only where no file that they are of is protected, be it tracked or in a past commit.
 */
export const readOnlyGit = (
  command: string,
  context: PathContext
): Effect.Effect<ReadOnlyGit, never, Effect.Effect.Context<typeof Repository.find>> =>
  Effect.gen(function* () {
    const none: ReadOnlyGit = { trusted: context.trusted, judgePast: Effect.succeed(harmless) }
    if (!usesGit(command)) return none
    const sandbox = yield* Effect.serviceOption(Sandbox)
    const repository = yield* Effect.option(Repository.find)
    if (repository._tag === "None" || (sandbox._tag === "Some" && sandbox.value.describe.target === "ssh")) return none
    const { gitDirectory, top } = repository.value
    const past: Array<Listing> = []
    const isSecret = (file: string): boolean => judgeLexical(file, "grep", context).decision !== "allow"
    const told = (secret: string | undefined): Verdict | undefined =>
      secret === undefined ? undefined : contents(`May show ${excerpt(secret)}; git_diff leaves it out.`)
    let known: Tracked | "unread" | undefined
    const judgeGit = (directory: string, shown: GitContents): Verdict | undefined => {
      if (topOf(directory) !== top) return untrusted(`${excerpt(directory)} is in another repository.`)
      known ??= tracked(`${gitDirectory}/index`) ?? "unread"
      if (known === "unread") return untrusted("The list of tracked files cannot be read.")
      if (known.links) return untrusted("The repository has submodules, whose configuration can run programs.")
      if (shown.of === "named") return undefined
      if (known.names.length > mostTracked) return untrusted("The repository tracks more files than are checked.")
      if (shown.of === "tracked") return told(shownSecret(shown, { directory, isSecret, top }, known))
      if (shown.names === undefined) return unlisted
      past.push({ directory, args: shown.names })
      return undefined
    }
    const judgePast = Effect.suspend(() => (past.length === 0 ? Effect.succeed(harmless) : list)).pipe(
      Effect.orElseSucceed(() => unlisted)
    )
    const list = Effect.gen(function* () {
      const git = yield* Git.open({ filters: "none", writes: false })
      for (const { args, directory } of past) {
        const { stdout } = yield* git.run(args, { cwd: directory, time: listingTime, limit: mostNames, whole: true })
        const secret = told(stdout.split(/[\0\n]/).find((name) => name !== "" && isSecret(`${top}/${name}`)))
        if (secret !== undefined) return secret
      }
      return harmless
    }).pipe(Effect.scoped)
    return { trusted: true, hardenedGit: true, judgeGit, judgePast }
  })
