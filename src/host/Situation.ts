import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as os from "node:os"
import { type ApprovalPolicy, modes } from "../approval/ApprovalPolicy.ts"
import { dayOf } from "../cost/calendar.ts"
import type { Settings } from "../config/Settings.ts"
import { makeVisible } from "../text/visible.ts"
import type { Section } from "../runtime/Briefing.ts"
import type { Place } from "../runtime/Projects.ts"
import type { Sandbox } from "../sandbox/Sandbox.ts"
import type { SandboxUnavailable } from "../sandbox/SandboxUnavailable.ts"
import * as Git from "../tools/git/Git.ts"
import { topOf } from "../tools/git/GitDirectory.ts"
import { many } from "../ui/Words.ts"
import { Surroundings } from "./Surroundings.ts"

/** How long git and the sandbox may take to tell their state; beyond that it is unknown. */
const patience = "2 seconds"

export const modeSection = (policy: ApprovalPolicy): Section => ({
  name: "mode",
  text: `Approval mode: ${policy}. ${modes[policy].told}`
})

/** Where and when; told again on another day. */
export const placeSection = ({ directory, project }: Place): Effect.Effect<Section, never, Surroundings> =>
  Effect.gen(function* () {
    const { platform = `${os.platform()} ${os.release()}` } = yield* Surroundings
    const today = dayOf(yield* Clock.currentTimeMillis)
    const top = directory === project ? "" : `, in the project ${makeVisible(project)}`
    return {
      name: "directory",
      text: [`Working directory: ${makeVisible(directory)}${top}`, `Platform: ${platform}`, `Date: ${today}`].join("\n")
    }
  })

/** What is checked out, and how many files have changed; `branch` is unset where HEAD is detached. */
export interface Checkout {
  readonly branch: string | undefined
  readonly changed: number
}

/** What git tells of a directory. */
export type GitState = Checkout | "no repository" | "state unknown"

/** The branch of the first line of `git status --branch`. */
const branchOf = (line: string): string | undefined =>
  line.startsWith("## HEAD (no branch)")
    ? undefined
    : makeVisible(line.replace(/^## (?:No commits yet on |Initial commit on )?/, "").replace(/(?:\.\.\.| \[).*$/, ""))

/** Told again on another branch. */
export const gitSection = (state: GitState): Section => {
  if (typeof state === "string") return { name: "git", text: `Git: ${state}`, key: state }
  const { branch, changed } = state
  const key = branch === undefined ? "detached HEAD" : `branch ${branch}`
  return { name: "git", text: `Git: ${key}, ${changed === 0 ? "no changes" : many(changed, "changed file")}`, key }
}

/** What git tells of the directory of a session. */
export const gitState = (place: Place) =>
  topOf(place.directory) === undefined
    ? Effect.succeed<GitState>("no repository")
    : Effect.gen(function* () {
        const git = yield* Git.open({ filters: "none", writes: false })
        const args = ["status", "--short", "--branch", "--no-ahead-behind", "--ignore-submodules=dirty", "--", "."]
        const { stdout } = yield* git.run(args, { limit: 4 * 1024 * 1024, time: patience })
        const [first = "", ...changed] = stdout.trimEnd().split("\n")
        return { branch: branchOf(first), changed: changed.filter((line) => line !== "").length }
      }).pipe(
        Effect.scoped,
        Effect.timeout(patience),
        Effect.orElseSucceed((): GitState => "state unknown")
      )

/** Says why commands can change nothing in a directory that is theirs otherwise. */
export const heldText = (root: string): string =>
  `Commands can change nothing in ${makeVisible(root)}: its .git or .tollgate is a link that they could replace, or cannot be looked into.`

/** Where commands run and what holds them there. */
export const sandboxSection = (
  sandbox: Effect.Effect<Sandbox["Type"], SandboxUnavailable>,
  settings: Settings["sandbox"],
  held: Effect.Effect<ReadonlyArray<string>>
): Effect.Effect<Section> =>
  Effect.flatMap(sandbox, ({ describe }) =>
    describe.isolated
      ? Effect.map(held, (roots) =>
          [
            `on. ${describe.detail}`,
            ...(settings?.network === true ? ["Commands may use the network."] : []),
            ...roots.map(heldText)
          ].join(" ")
        )
      : Effect.succeed("off. Commands run with the user's own rights.")
  ).pipe(
    Effect.timeout(patience),
    Effect.orElseSucceed(() => "state unknown."),
    Effect.map((text) => ({ name: "sandbox", text: `Sandbox of commands: ${text}` }))
  )
