import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as os from "node:os"
import { type ApprovalPolicy, modes } from "../approval/ApprovalPolicy.ts"
import type { Settings } from "../config/Settings.ts"
import { makeVisible } from "../text/visible.ts"
import type { Section } from "../runtime/Briefing.ts"
import type { Place } from "../runtime/Projects.ts"
import type { Sandbox } from "../sandbox/Sandbox.ts"
import type { SandboxUnavailable } from "../sandbox/SandboxUnavailable.ts"
import * as Git from "../tools/git/Git.ts"
import { topOf } from "../tools/git/Repository.ts"
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
    const now = DateTime.unsafeMakeZoned(yield* Clock.currentTimeMillis, { timeZone: DateTime.zoneMakeLocal() })
    const top = directory === project ? "" : `, in the project ${makeVisible(project)}`
    return {
      name: "directory",
      text: [
        `Working directory: ${makeVisible(directory)}${top}`,
        `Platform: ${platform}`,
        `Date: ${DateTime.formatIsoDate(now)}`
      ].join("\n")
    }
  })

/** What is said where git does not answer. */
export const gitUnknown: Section = { name: "git", text: "Git: state unknown" }

const gitSection = (state: string, branch = state): Section => ({ name: "git", text: `Git: ${state}`, key: branch })

/** The branch of the first line of `git status --branch`. */
const branchOf = (line: string): string =>
  line.startsWith("## HEAD (no branch)")
    ? "detached HEAD"
    : `branch ${line.replace(/^## (?:No commits yet on |Initial commit on )?/, "").replace(/(?:\.\.\.| \[).*$/, "")}`

/** The branch and how much has changed; told again on another branch. */
export const gitState = (place: Place) =>
  topOf(place.directory) === undefined
    ? Effect.succeed(gitSection("no repository"))
    : Effect.gen(function* () {
        const git = yield* Git.open({ filters: "none", writes: false })
        const args = ["status", "--short", "--branch", "--no-ahead-behind", "--ignore-submodules=dirty", "--", "."]
        const { stdout } = yield* git.run(args, { limit: 4 * 1024 * 1024, time: patience })
        const [first = "", ...changed] = stdout.trimEnd().split("\n")
        const branch = makeVisible(branchOf(first))
        const files = changed.filter((line) => line !== "").length
        return gitSection(`${branch}, ${files === 0 ? "no changes" : many(files, "changed file")}`, branch)
      }).pipe(
        Effect.scoped,
        Effect.timeout(patience),
        Effect.orElseSucceed(() => gitUnknown)
      )

/** Where commands run and what holds them there. */
export const sandboxSection = (
  sandbox: Effect.Effect<Sandbox["Type"], SandboxUnavailable>,
  settings: Settings["sandbox"]
): Effect.Effect<Section> =>
  Effect.map(sandbox, ({ describe }) =>
    describe.isolated
      ? `on. ${describe.detail}${settings?.network === true ? " Commands may use the network." : ""}`
      : "off. Commands run with the user's own rights."
  ).pipe(
    Effect.timeout(patience),
    Effect.orElseSucceed(() => "state unknown."),
    Effect.map((text) => ({ name: "sandbox", text: `Sandbox of commands: ${text}` }))
  )
