import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import type { PathContext } from "../../policy/path/PathContext.ts"
import { errnoOf, errnoText } from "../../system/errno.ts"
import { makeVisible } from "../../text/visible.ts"
import { type BytePath, onDisk, parentOf, toText, within } from "./BytePath.ts"
import { reopen } from "./ClosedDirectory.ts"
import type { Guarded } from "./Guarded.ts"
import { survey, type Withholding } from "./Survey.ts"

/** What was done about the protected places that a command has created, and what is not known of them. */
export interface SetAside {
  /** Their new names. */
  readonly renamed: ReadonlyArray<string>
  /** Those that keep their name, with the system's code for why. */
  readonly left: ReadonlyArray<readonly [place: string, code: string]>
  /** Directories that it had closed. */
  readonly reopened: ReadonlyArray<string>
  /** Directories that could not be looked into, with the system's code for why. */
  readonly closed: ReadonlyArray<readonly [place: string, code: string]>
  /** There was more than is looked at. */
  readonly partial: boolean
}

/** Entries that are looked at behind a command, which may have created as many as there could be before it, and more. */
const most = 1_000_000

/** Bytes that file systems take in a name. */
const longest = 255

/** Behind the name of a protected place that nobody has allowed. */
const unapproved = ".unapproved"

/** Whether a place has that name itself: what lies below such a directory is looked at like any other. */
const isAside = (place: string): boolean => /\.unapproved(?:-\d+)?$/.test(place)

const exists = (place: BytePath): boolean => {
  try {
    return fs.lstatSync(onDisk(place), { throwIfNoEntry: false }) !== undefined
  } catch {
    return true
  }
}

/** The name that a place gets which nobody has allowed; one that is free, and no longer than a name may be. */
const asideOf = (place: BytePath): BytePath => {
  const above = parentOf(place)
  const name = place.slice(place.lastIndexOf("/") + 1)
  const named = (suffix: string) => within(above, `${name.slice(0, longest - suffix.length)}${suffix}` as BytePath)
  let aside = named(unapproved)
  for (let count = 2; exists(aside); count++) aside = named(`${unapproved}-${count}`)
  return aside
}

/** Those that are not below another one, which move with it. */
const outermost = (places: ReadonlyArray<BytePath>): ReadonlyArray<BytePath> => {
  const all = new Set(places)
  const isBelow = (place: BytePath): boolean => {
    for (let above = parentOf(place); above !== "/"; above = parentOf(above)) if (all.has(above)) return true
    return false
  }
  return places.filter((place) => !isBelow(place))
}

/**
 * Renames the protected places that are new since a command began, so that no program takes them for its own: a sandbox holds only
 * what exists. Directories that it has closed are opened again. Call it once the command and all that it started have ended.
 */
export const setAside = Effect.fnUntraced(function* (
  before: Guarded,
  context: PathContext,
  withholding: Withholding = {},
  limit = most
) {
  const reopened: Array<string> = []
  const renamed: Array<string> = []
  const left: Array<readonly [string, string]> = []
  const open = (directory: BytePath): boolean => {
    const isOpen = !before.has(directory) && reopen(directory)
    if (isOpen) reopened.push(toText(directory))
    return isOpen
  }
  const now = yield* survey({ ...withholding, context, most: limit, reopen: open })
  const isNew = (place: BytePath): boolean => !before.has(place) && !isAside(place)
  const rename = (place: BytePath): string | undefined => {
    try {
      const name = asideOf(place)
      fs.renameSync(onDisk(place), onDisk(name))
      renamed.push(toText(name))
      return undefined
    } catch (cause) {
      return errnoOf(cause)
    }
  }
  for (const place of outermost([...now.kept, ...now.hidden].filter(isNew))) {
    const first = rename(place)
    const code = first !== undefined && open(parentOf(place)) ? rename(place) : first
    if (code !== undefined && code !== "ENOENT") left.push([toText(place), code])
  }
  const closed = [...now.closed].flatMap(([place, code]) => (isNew(place) ? [[toText(place), code] as const] : []))
  return { renamed, left, reopened, closed, partial: now.partial } satisfies SetAside
})

/** Places that are named in one note. */
const named = 20

const list = (places: ReadonlyArray<string>): string => {
  const shown = places.slice(0, named).map(makeVisible).join(", ")
  return places.length > named ? `${shown} and ${places.length - named} more` : shown
}

const note = <A>(
  items: ReadonlyArray<A>,
  nameOf: (item: A) => string,
  head: string,
  tail = ""
): ReadonlyArray<string> => (items.length === 0 ? [] : [`[${head}: ${list(items.map(nameOf))}${tail}]`])

const withReason = ([place, code]: readonly [string, string]): string => `${place} (${errnoText(code)})`

/** What is said of it. */
export const notesOn = ({ closed, left, partial, renamed, reopened }: SetAside): ReadonlyArray<string> => [
  ...note(renamed, String, "protected places created without approval, renamed"),
  ...note(
    left,
    withReason,
    "protected places created without approval that could not be renamed",
    "; tell the user to remove them"
  ),
  ...note(reopened, String, "directories that it had closed to its user, opened again"),
  ...note(
    closed,
    withReason,
    "directories that could not be looked through for protected places",
    "; tell the user to look"
  ),
  ...(partial
    ? [
        `[more than ${most.toLocaleString("en")} files: whether it created protected places, e.g. .git or .envrc, is not known for all of them; tell the user to look before using what it created]`
      ]
    : [])
]
