import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as fs from "node:fs"
import { errnoOf, errnoText } from "../../system/errno.ts"
import { ask, type Verdict } from "../Verdict.ts"
import { mayMatch } from "./Globs.ts"
import { excerpt } from "../../text/excerpt.ts"

/** What a search opens of what lies below a directory. */
export interface Descent {
  /** Absolute. */
  readonly directory: string
  /** Globs one of which the name of a file has to match, where there are any. */
  readonly filters: ReadonlyArray<string>
  /** Whether names that begin with a dot are entered too; `files` leaves out such directories. */
  readonly hidden: "all" | "files" | "none"
  /** Whether a name is left out for certain, whatever ignore files say. */
  readonly isLeft?: (name: string, kind: "file" | "directory") => boolean
  /** Entries that may be looked at. */
  readonly most: number
  /** Directories that the search leaves out, by their absolute paths, unless an ignore file brings them back. */
  readonly skips?: (directory: string) => boolean
  /** Whether it may read what links lead to that it meets. */
  readonly follows?: boolean
}

/** Entries that are looked at below all directories that a call searches. */
export const maximumLooks = 20_000

/** What was found, and how many entries had to be looked at. */
export interface Found {
  readonly files: ReadonlyArray<string>
  readonly looks: number
}

const ignoreFiles = [".gitignore", ".ignore", ".rgignore", ".git/info/exclude"]
const longestIgnoreFile = 65_536

/** Below what is searched, they hold nothing of the user's: what packages bring, and what git has compressed. */
const foreign = /\/(?:node_modules|\.git\/objects)$/

/**
 * The files below a directory that a search may open, a few too many rather than one too few: links are followed where the search may
 * do so, and names that are left out count where an ignore file brings them back with `!`. What packages have brought, below a directory
 * of theirs, is not looked at unless the search begins there. What cannot be seen asks.
 */
export const descend = ({
  directory,
  filters,
  follows = false,
  hidden,
  isLeft,
  most,
  skips
}: Descent): Either.Either<Found, Verdict> => {
  const files: Array<string> = []
  const selects = filters.filter((filter) => !filter.startsWith("!"))
  const returned = hidden === "all" ? [] : [...selects, ...ancestors(directory).flatMap(unignored)]
  const isReturned = (name: string): boolean => returned.some((pattern) => mayMatch(pattern, name))
  const pending = [directory]
  const entered = new Set(pending)
  let looks = 1
  try {
    for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
      const entries = entriesOf(place)
      looks += entries.length
      if (looks > most) {
        return Either.left(tooMany(directory))
      }
      if (hidden !== "all" && entries.some(({ name }) => name.startsWith("."))) returned.push(...unignored(place))
      for (const entry of entries) {
        const { isDirectory, isFile, path } = reached(place, entry, follows)
        if (isLeft?.(entry.name, isFile ? "file" : "directory") === true) continue
        if (entry.name.startsWith(".") && hidden !== "all" && !(isFile && hidden === "files")) {
          if (!isReturned(entry.name)) continue
        }
        if (isDirectory) {
          if (entered.has(path) || foreign.test(path)) continue
          if (!isReturned(entry.name) && skips?.(path) === true) continue
          entered.add(path)
          pending.push(path)
        } else if (isFile && (selects.length === 0 || selects.some((filter) => mayMatch(filter, entry.name)))) {
          files.push(path)
        }
      }
    }
  } catch (cause) {
    return Either.left(unseen(directory, cause))
  }
  return Either.right({ files, looks })
}

/** What is said of a directory in which not everything is looked at. */
export const tooMany = (directory: string): Verdict =>
  ask(
    "shell/too-many-files",
    `${excerpt(directory)} holds more files than are checked for secrets; name a smaller directory.`
  )

/** What the system does not let us see. */
export const unseen = (directory: string, cause: unknown): Verdict =>
  ask("shell/too-many-files", `The contents of ${excerpt(directory)} cannot be read: ${errnoText(errnoOf(cause))}.`)

/** None of what is no directory, or closed to us and so to the search. */
export const entriesOf = (place: string): ReadonlyArray<fs.Dirent> => {
  try {
    return fs.readdirSync(place, { withFileTypes: true })
  } catch (cause) {
    if (["ENOENT", "ENOTDIR", "EACCES"].includes(errnoOf(cause))) return []
    throw cause
  }
}

interface Reached {
  readonly path: string
  readonly isFile: boolean
  readonly isDirectory: boolean
}

/** What an entry of a directory is and where it lies; a link that is followed is what it leads to. */
const reached = (place: string, entry: fs.Dirent, follows: boolean): Reached => {
  const path = `${place}/${entry.name}`
  const led = follows && entry.isSymbolicLink() ? Option.getOrUndefined(targetOf(path)) : undefined
  return { path: led?.path ?? path, isFile: (led ?? entry).isFile(), isDirectory: (led ?? entry).isDirectory() }
}

/** What a link leads to; nothing where it leads nowhere, in a circle or to what is closed to us. */
const targetOf = Option.liftThrowable((link: string) =>
  Object.assign(fs.statSync(link), { path: fs.realpathSync(link) })
)

const ancestors = (directory: string): ReadonlyArray<string> => {
  const names = directory.split("/").slice(1, -1)
  return ["", ...names.map((_, index) => `/${names.slice(0, index + 1).join("/")}`)]
}

/** The patterns that the ignore files of a directory bring back. */
const unignored = (directory: string): ReadonlyArray<string> =>
  ignoreFiles.flatMap((name) =>
    linesOf(`${directory}/${name}`).flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : []))
  )

/** Of what is too long or cannot be read, a line that brings back everything. */
const linesOf = (file: string): ReadonlyArray<string> => {
  let opened: number | undefined
  try {
    opened = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK)
    const stat = fs.fstatSync(opened)
    return stat.isFile() && stat.size <= longestIgnoreFile ? fs.readFileSync(opened, "utf8").split("\n") : everything
  } catch (cause) {
    return ["ENOENT", "ENOTDIR"].includes(errnoOf(cause)) ? [] : everything
  } finally {
    if (opened !== undefined) fs.closeSync(opened)
  }
}

const everything = ["!*"]
