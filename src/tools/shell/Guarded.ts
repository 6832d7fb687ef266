import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import type { PathContext } from "../../policy/path/PathContext.ts"
import { isWithin } from "../../policy/path/PathText.ts"
import { ask, type Verdict } from "../../policy/Verdict.ts"
import { errnoText } from "../../system/errno.ts"
import { makeVisible } from "../../text/visible.ts"
import { type BytePath, isText, toText } from "./BytePath.ts"
import { CommandRefused } from "./JudgedCommand.ts"
import { survey, type Withholding } from "./Survey.ts"

/** What is protected in a workspace as it is now, by what a program could do to it. */
export interface Guarded {
  /** May be read, not changed. */
  readonly kept: ReadonlyArray<string>
  /** May not even be read. */
  readonly hidden: ReadonlyArray<string>
  /** Behind which other programs listen. */
  readonly sockets: ReadonlyArray<string>
  /** Directories that cannot be looked into; part of `hidden`. */
  readonly closed: ReadonlyArray<string>
  /** Whether a place is one of `kept` and `hidden`. */
  readonly has: (place: BytePath) => boolean
  /** What tells one file of `kept` and `hidden` from another, or from an earlier state of it. */
  readonly states: ReadonlyMap<string, string>
}

/** Nothing is protected. */
export const unguarded: Guarded = {
  kept: [],
  hidden: [],
  sockets: [],
  closed: [],
  has: () => false,
  states: new Map()
}

/** Entries that are looked at before a command; each takes some microseconds. */
const most = 400_000

const another = "The user has to choose another mode"

const tooLarge = (): Verdict =>
  ask(
    "shell/workspace-too-large",
    `there are more than ${most.toLocaleString("en")} files to look through for the protected ones, in the workspace and where rules by path begin. ${another}, or make them fewer`
  )

const unlisted = (directory: string, code: string): Verdict =>
  ask(
    "shell/workspace-unlisted",
    `${makeVisible(directory)} cannot be looked through for protected files: ${errnoText(code)}. The user has to make it readable (chmod u+rwx), or to choose another mode`
  )

const unnamed = (place: BytePath): Verdict =>
  ask(
    "shell/workspace-unnamed",
    `${makeVisible(toText(place))} is protected, and no sandbox can hold a name that is not UTF-8. The user has to rename it, or to choose another mode`
  )

const unbounded = ask(
  "shell/rule-unbounded",
  `a rule by path begins at /, and not all files can be looked through for what it withholds. ${another}, or begin the rule with a directory`
)

const withholdsAll = (root: string): Verdict =>
  ask("shell/rule-withholds-workspace", `a rule by path withholds ${makeVisible(root)} as a whole. ${another}`)

const stateOf = (place: string): string | undefined => {
  try {
    const found = fs.lstatSync(place, { bigint: true })
    return found.isFile() || found.isSymbolicLink() ? `${found.dev}:${found.ino}:${found.ctimeNs}` : undefined
  } catch {
    return undefined
  }
}

const refused = (verdict: Verdict) => new CommandRefused({ verdict })

/** The protected places that exist; fails where one of them may be unknown, or cannot be kept from a command. */
export const guardedIn = Effect.fnUntraced(function* (
  context: PathContext,
  withholding: Withholding = {},
  limit = most
) {
  const { withheld = () => false, withheldFrom = [] } = withholding
  if (withheldFrom.includes("/")) return yield* refused(unbounded)
  const whole = context.roots.find(withheld)
  if (whole !== undefined) return yield* refused(withholdsAll(whole))
  const found = yield* survey({ ...withholding, context, most: limit })
  if (found.partial) return yield* refused(tooLarge())
  for (const [place, code] of found.closed) {
    const directory = toText(place)
    if (context.roots.some((root) => isWithin(root, directory))) return yield* refused(unlisted(directory, code))
  }
  const closed = [...found.closed.keys()]
  const places = new Set([...found.kept, ...found.hidden, ...closed])
  for (const place of places) if (!isText(place)) return yield* refused(unnamed(place))
  const [kept, hidden] = [[...found.kept].map(toText), [...found.hidden, ...closed].map(toText)]
  const states = [...kept, ...hidden].flatMap((place) => {
    const state = stateOf(place)
    return state === undefined ? [] : [[place, state] as const]
  })
  return {
    kept,
    hidden,
    sockets: [...found.sockets].filter(isText).map(toText),
    closed: closed.map(toText),
    has: (place) => places.has(place),
    states: new Map(states)
  } satisfies Guarded
})

/**
 * The protected files that are other ones than before a command, or were changed: a sandbox holds the file that it found, and who puts
 * another in its place meanwhile, e.g. the user with an editor, opens that one to the command.
 */
export const changedSince = (before: Guarded): ReadonlyArray<string> =>
  [...before.states].flatMap(([place, state]) => (stateOf(place) === state ? [] : [place]))

const isLink = (place: string): boolean => fs.lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true

/** Places in packages that are held one by one: a sandbox takes some thousand of them, with all directories above them. */
const mostInPackages = 200

/** The outermost package that a place lies in. */
const packageOf = (place: string): string | undefined => /^.*?\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(place)?.[0]

/** The same, or with whole packages where they hold many. */
const folded = (kept: ReadonlyArray<string>): ReadonlyArray<string> =>
  kept.filter((place) => packageOf(place) !== undefined).length <= mostInPackages
    ? kept
    : [...new Set(kept.map((place) => packageOf(place) ?? place))]

/**
 * The places as a sandbox takes them. What is hidden cannot be changed either, nor moved with a directory above it; only a link can,
 * which holds nothing itself.
 */
export const placesOf = ({ hidden, kept, sockets }: Guarded) => ({
  protected: [...folded(kept), ...hidden.filter((place) => !isLink(place))],
  hidden: [...hidden, ...sockets]
})
