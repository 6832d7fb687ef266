import * as Effect from "effect/Effect"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as fs from "node:fs"
import * as path from "node:path"
import type { PathContext } from "../../policy/path/PathContext.ts"
import { judgeLexical, judgeNow } from "../../policy/path/PathPolicy.ts"
import { effectsOf } from "../../policy/shell/Effects.ts"
import { severity } from "../../policy/shell/Severity.ts"
import { systemPath } from "../../process/Environment.ts"
import { Processes } from "../../process/Processes.ts"
import { systemProgram } from "../../sandbox/systemProgram.ts"
import { isPlaceholder } from "../../sandbox/Placeholders.ts"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import type { JudgedCommand } from "./JudgedCommand.ts"
import { ShellSettings } from "./ShellSettings.ts"

/** Entries of a workspace that are looked at; nothing runs unseen in a larger one. */
const maxEntries = 50_000

/** Directories of packages, where only what runs by its name matters. */
const packages = "node_modules"

/** What is protected in a workspace as it is now, by what a program could do to it. */
export interface Guarded {
  /** May be read, not changed. */
  readonly kept: ReadonlyArray<string>
  /** May not even be read. */
  readonly hidden: ReadonlyArray<string>
  /** Behind which other programs listen. */
  readonly sockets: ReadonlyArray<string>
  /** What tells one file of `kept` and `hidden` from another, or from an earlier state of it. */
  readonly states: ReadonlyMap<string, string>
}

/** Nothing is protected. */
export const unguarded: Guarded = { kept: [], hidden: [], sockets: [], states: new Map() }

const stateOf = (place: string): string | undefined => {
  const found = fs.lstatSync(place, { bigint: true, throwIfNoEntry: false })
  return found?.isFile() === true ? `${found.dev}:${found.ino}:${found.ctimeNs}` : undefined
}

const allows = (judged: ReturnType<typeof judgeLexical>): boolean => judged.decision === "allow"

/** The protected places that exist below the roots; nothing where there is too much to look at. */
export const guardedIn = (context: PathContext): Guarded | undefined => {
  const kept: Array<string> = []
  const hidden: Array<string> = []
  const sockets: Array<string> = []
  const waiting = [...context.roots]
  let seen = 0
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    let entries: ReadonlyArray<fs.Dirent>
    try {
      entries = fs.readdirSync(directory, { withFileTypes: true })
    } catch {
      continue
    }
    const ofPackages = path.basename(directory) === packages
    for (const entry of entries) {
      if (++seen > maxEntries) return undefined
      const place = path.join(directory, entry.name)
      const keep = (places: Array<string>) => void (isPlaceholder(place) || places.push(place))
      // What git reads as settings can be anywhere in it, also where nothing is yet.
      if (entry.name === ".git") keep(kept)
      else if (!allows(judgeLexical(place, "grep", context))) keep(hidden)
      else if (!allows(judgeLexical(place, "write", context))) keep(kept)
      else if (entry.isSocket()) sockets.push(place)
      else if (entry.isDirectory() && !ofPackages) waiting.push(place)
    }
  }
  const states = [...kept, ...hidden].flatMap((place) => {
    const state = stateOf(place)
    return state === undefined ? [] : [[place, state] as const]
  })
  return { kept, hidden, sockets, states: new Map(states) }
}

/** Behind the name of a protected place that nobody has allowed. */
const unapproved = ".unapproved"

/** Whether a place has that name itself: what lies below such a directory is looked at like any other. */
const isAside = (place: string): boolean => /\.unapproved(?:-\d+)?$/.test(place)

/**
 * The protected files that are other ones than before a command, or were changed: a sandbox holds the file that it found, and who puts
 * another in its place meanwhile, e.g. the user with an editor, opens that one to the command.
 */
export const changedSince = (before: Guarded): ReadonlyArray<string> =>
  [...before.states].flatMap(([place, state]) => (stateOf(place) === state ? [] : [place]))

/** The name that a place gets which nobody has allowed; one that is free. */
const asideOf = (place: string): string => {
  let name = `${place}${unapproved}`
  for (let count = 2; fs.lstatSync(name, { throwIfNoEntry: false }) !== undefined; count++)
    name = `${place}${unapproved}-${count}`
  return name
}

/**
 * Renames the protected places that are new since a command began, so that no program takes them for its own, and gives their new
 * names: a sandbox holds only what exists. Call it once the command and all that it started have ended.
 */
export const setAside = (before: Guarded, context: PathContext): ReadonlyArray<string> => {
  const known = new Set([...before.kept, ...before.hidden])
  const now = guardedIn(context)
  if (now === undefined) return ["too many files to look through; look at what is new yourself"]
  return [...now.kept, ...now.hidden]
    .filter((place) => !known.has(place) && !isAside(place))
    .map((place) => {
      try {
        const name = asideOf(place)
        fs.renameSync(place, name)
        return name
      } catch {
        return `${place}, which cannot be renamed`
      }
    })
}

/** Takes the set-user-ID and set-group-ID bits from the files of the workspace that were changed in the last minutes. */
export const lowerPrivileges = (context: PathContext, minutes: number) =>
  Effect.flatMap(Processes, (processes) =>
    processes.run(
      {
        file: systemProgram("find"),
        args: [
          ...context.roots,
          "-xdev",
          "-type",
          "f",
          "-cmin",
          `-${minutes}`,
          "(",
          "-perm",
          "-4000",
          "-o",
          "-perm",
          "-2000",
          ")",
          "-exec",
          "chmod",
          "ug-s",
          "{}",
          "+"
        ],
        cwd: "/",
        env: { PATH: systemPath }
      },
      { limit: 0, limits: { time: Duration.seconds(20) } }
    )
  ).pipe(
    Effect.map(({ exitCode }) => exitCode === 0),
    Effect.orElseSucceed(() => false)
  )

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
