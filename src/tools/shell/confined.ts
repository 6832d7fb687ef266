import * as Effect from "effect/Effect"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as path from "node:path"
import type { PathContext } from "../../policy/path/PathContext.ts"
import { judgeNow } from "../../policy/path/PathPolicy.ts"
import { effectsOf } from "../../policy/shell/Effects.ts"
import { severity } from "../../policy/shell/Severity.ts"
import { systemPath } from "../../process/Environment.ts"
import { Processes } from "../../process/Processes.ts"
import { systemProgram } from "../../sandbox/systemProgram.ts"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import { monotonicMillis } from "../../system/monotonic.ts"
import { makeVisible } from "../../text/visible.ts"
import { changedSince, type Guarded } from "./Guarded.ts"
import type { JudgedCommand } from "./JudgedCommand.ts"
import { notesOn, setAside } from "./SetAside.ts"
import { ShellSettings } from "./ShellSettings.ts"
import type { Withholding } from "./Survey.ts"

/** A path as a pattern of `find` that fits it alone. */
const literal = (place: string): string => place.replaceAll(/[*?[\]\\]/g, "\\$&")

/** Takes the set-user-ID and set-group-ID bits from the files of the workspace that were changed in the last minutes. */
const lowerPrivileges = ({ roots }: PathContext, { closed }: Guarded, minutes: number) =>
  Effect.flatMap(Processes, (processes) =>
    processes.run(
      {
        file: systemProgram("find"),
        args: [
          [...roots, "-xdev"],
          // Nothing in them could be changed.
          closed.flatMap((place) => ["-path", literal(place), "-prune", "-o"]),
          ["-type", "f", "-cmin", `-${minutes}`, "(", "-perm", "-4000", "-o", "-perm", "-2000", ")"],
          ["-exec", "chmod", "ug-s", "{}", "+"]
        ].flat(),
        cwd: "/",
        env: { PATH: systemPath }
      },
      { limit: 0, limits: { time: Duration.seconds(20) } }
    )
  ).pipe(
    Effect.map(({ exitCode }) => exitCode === 0),
    Effect.orElseSucceed(() => false)
  )

const privileged = "[set-user-ID files that it made could not be looked for; tell the user]"

/** Looks through what a confined command has left that began so long ago, undoes what nobody allowed, and says so. */
export const tidyUp = Effect.fnUntraced(function* (
  before: Guarded,
  context: PathContext,
  withholding: Withholding,
  began: number
) {
  const notes = notesOn(yield* setAside(before, context, withholding))
  const minutes = Math.ceil(((yield* monotonicMillis) - began) / 60_000) + 1
  const isLowered = yield* lowerPrivileges(context, before, minutes)
  const changed = changedSince(before)
  return [
    ...notes,
    ...(changed.length === 0
      ? []
      : [
          `[protected files changed while it ran, which it could then reach: ${changed.map(makeVisible).join(", ")}; tell the user]`
        ]),
    ...(isLowered ? [] : [privileged])
  ]
})

/** Words of git that make a repository, and with it hooks and settings. */
const founding: ReadonlySet<string> = new Set(["init", "clone", "worktree", "submodule"])

/**
 * Whether the sandbox holds a command to the workspace, without network, whatever it does, and nothing that its words name is
 * protected or outside. What destroys work, and what cannot be read, is asked about all the same.
 */
export const isConfined = Effect.fnUntraced(function* (command: string, { context }: JudgedCommand) {
  const { describe } = yield* Sandbox
  const { network } = yield* ShellSettings
  if (!describe.isolated || network) return false
  const { cwd, home, roots } = context
  const { level } = severity(command, { cwd, home, roots })
  const effects = effectsOf(command)
  const reached = effects.paths()
  if (
    effects.shape.commands.some(
      ([program = "", ...words]) => program.endsWith("git") && words.some((word) => founding.has(word))
    )
  )
    return false
  if (level === "destructive" || level === "forbidden" || reached === "unread") return false
  const isPlain = (named: string): boolean =>
    Either.match(judgeNow(path.resolve(cwd, named), "write", context), {
      onLeft: () => false,
      onRight: ({ verdict }) => verdict.decision === "allow"
    })
  return [...reached.named, ...reached.mentioned].every(isPlain)
})
