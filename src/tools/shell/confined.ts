import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as fs from "node:fs"
import * as path from "node:path"
import type { PathContext } from "../../policy/path/PathContext.ts"
import { judgeLexical, judgeNow } from "../../policy/path/PathPolicy.ts"
import { effectsOf } from "../../policy/shell/Effects.ts"
import { severity } from "../../policy/shell/Severity.ts"
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
}

const allows = (judged: ReturnType<typeof judgeLexical>): boolean => judged.decision === "allow"

/** The protected places that exist below the roots; nothing where there is too much to look at. */
export const guardedIn = (context: PathContext): Guarded | undefined => {
  const kept: Array<string> = []
  const hidden: Array<string> = []
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
      else if (entry.isDirectory() && !ofPackages) waiting.push(place)
    }
  }
  return { kept, hidden }
}

/** Behind the name of a protected place that nobody has allowed. */
const unapproved = ".unapproved"

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
    .filter((place) => !known.has(place) && !place.includes(unapproved))
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
  const reached = effectsOf(command).paths()
  if (level === "destructive" || level === "forbidden" || reached === "unread") return false
  const isPlain = (named: string): boolean =>
    Either.match(judgeNow(path.resolve(cwd, named), "write", context), {
      onLeft: () => false,
      onRight: ({ verdict }) => verdict.decision === "allow"
    })
  return [...reached.named, ...reached.mentioned].every(isPlain)
})
