import * as Effect from "effect/Effect"
import type * as fs from "node:fs"
import { type BytePath, fromBytes, fromText, isText, toText, within } from "./BytePath.ts"
import type { PathContext } from "../../policy/path/PathContext.ts"
import { judgeLexical } from "../../policy/path/PathPolicy.ts"
import { addsNothingIn } from "../../policy/path/Protected.ts"
import { repository } from "../../policy/path/ProtectedPlaces.ts"
import { isPlaceholder } from "../../sandbox/Placeholders.ts"
import { macrotask } from "../../system/macrotask.ts"
import type { ToolCall } from "../../tool/ToolCall.ts"
import { visitEntries } from "./ClosedDirectory.ts"

/** What rules of the user keep from a call. */
export type Withholding = Pick<ToolCall, "withheld" | "withheldFrom">

/** What is protected below the roots, and by rules of the user elsewhere, and how far that is known. */
export interface Survey {
  /** May be read, not changed. */
  readonly kept: ReadonlySet<BytePath>
  /** May not even be read. */
  readonly hidden: ReadonlySet<BytePath>
  /** Behind which other programs listen. */
  readonly sockets: ReadonlySet<BytePath>
  /** Directories that could not be looked into, with the system's code for why. */
  readonly closed: ReadonlyMap<BytePath, string>
  /** There was more than is looked at. */
  readonly partial: boolean
}

export interface SurveyOptions extends Withholding {
  readonly context: PathContext
  /** Entries that are looked at. */
  readonly most: number
  /** Tries to make a closed directory one that can be looked into. */
  readonly reopen?: (directory: BytePath) => boolean
}

/**
 * What is looked for in a directory: all that is protected, or, since nothing below it can be changed, what may not be read, or only
 * what rules withhold.
 */
type Search = "protected" | "secret" | "withheld"

interface Waiting {
  readonly directory: BytePath
  readonly search: Search
}

/** Entries between two looks at what else there is to do. */
const batch = 4096

const git = fromText(".git")

/** Looks through directories, those above before those below, and follows no links. */
export const survey = Effect.fnUntraced(function* ({
  context,
  most,
  reopen = () => false,
  withheld = () => false,
  withheldFrom = []
}: SurveyOptions) {
  const kept = new Set<BytePath>()
  const hidden = new Set<BytePath>()
  const sockets = new Set<BytePath>()
  const closed = new Map<BytePath, string>()
  const roots = new Set(context.roots.map(fromText))
  const isRuled = withheldFrom.length > 0
  const waiting: Array<Waiting> = [...roots].map((directory) => ({ directory, search: "protected" }))
  for (const start of withheldFrom) {
    const directory = fromText(start)
    if (!context.roots.some((root) => start === root || start.startsWith(`${root}/`))) {
      if (withheld(start)) hidden.add(directory)
      else waiting.push({ directory, search: "withheld" })
    }
  }
  let count = 0
  const look = ({ directory, search }: Waiting): string | undefined => {
    const above = toText(directory)
    const addsNothing = addsNothingIn(above, context)
    const isAllowed = (name: string, place: string, op: "grep" | "write"): boolean =>
      addsNothing(name) || judgeLexical(place, op, context).decision === "allow"
    const visit = (entry: fs.Dirent<Buffer>): boolean => {
      if (++count > most) return false
      const bytes = fromBytes(entry.name)
      const place = within(directory, bytes)
      if (roots.has(place)) return true
      const name = entry.name.toString()
      const text = above === "/" ? `/${name}` : `${above}/${name}`
      const add = (places: Set<BytePath>) => void ((isText(place) && isPlaceholder(text)) || places.add(place))
      const enter = (search: Search) => void (entry.isDirectory() && waiting.push({ directory: place, search }))
      if (withheld(text)) add(hidden)
      else if (search === "withheld") enter(search)
      else if (bytes === git) {
        if (search === "protected") add(kept)
        // Git itself reads what is in it, whatever the names of its branches are.
        if (isRuled) enter("withheld")
      } else if (!isAllowed(name, text, "grep")) add(hidden)
      else if (search === "protected" && !isAllowed(name, text, "write")) {
        add(kept)
        const { rule } = judgeLexical(text, "write", context)
        if (rule !== repository.rule) enter("secret")
        else if (isRuled) enter("withheld")
      } else if (entry.isSocket()) sockets.add(place)
      else enter(search)
      return true
    }
    return visitEntries(directory, visit)
  }
  let paused = 0
  for (const one of waiting) {
    if (count > most) break
    const first = look(one)
    const code = first !== undefined && reopen(one.directory) ? look(one) : first
    if (code !== undefined) closed.set(one.directory, code)
    if (count - paused >= batch) {
      paused = count
      yield* macrotask
    }
  }
  return { kept, hidden, sockets, closed, partial: count > most } satisfies Survey
})
