import * as Either from "effect/Either"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Subject } from "../approval/Subject.ts"
import { judgeLexical } from "../policy/path/PathPolicy.ts"
import { isWithin } from "../policy/path/PathText.ts"
import { ledTo } from "../policy/path/PhysicalPath.ts"
import { descend, maximumLooks } from "../policy/shell/Descent.ts"
import { isHarmlessFilter, mayMatch } from "../policy/shell/Globs.ts"
import { excerpt } from "../text/excerpt.ts"
import type { Deed } from "./ForeignCall.ts"
import { nothing, of, type Outcome } from "./Outcome.ts"
import type { Standing } from "./Standing.ts"

/** Directories that hold no file of the user's: what packages bring, and what version control keeps. */
const left = /\/(?:node_modules|\.git|\.hg|\.svn|\.venv|__pycache__)$/

/** What a search goes by. */
type Bounds = Pick<Deed, "opens" | "uncovers">

/** Directories that a search leaves out: what git ignores, unless a pattern may bring it back. */
const leftOut =
  ({ opens = [], uncovers }: Bounds, { isIgnored }: Standing) =>
  (directory: string): boolean =>
    left.test(directory) ||
    (uncovers !== true && !opens.some((one) => mayMatch(one, path.basename(directory))) && isIgnored(directory))

const below = (directory: string, bounds: Bounds, standing: Standing) =>
  Either.map(
    descend({
      directory,
      filters: bounds.opens ?? [],
      hidden: "all",
      most: maximumLooks,
      skips: leftOut(bounds, standing)
    }),
    ({ files }) => files
  )

/**
 * What a search of another agent would open: it withholds no secrets, hidden and ignored files may be among them. A directory that
 * git ignores is one that searches leave out.
 */
export const openedBy = (directory: string, bounds: Bounds, standing: Standing): Outcome => {
  const { context } = standing
  const { opens = [] } = bounds
  const found = below(ledTo(directory), bounds, standing)
  const none = nothing("path/search", "It opens no protected file.")
  if (Either.isLeft(found)) return opens.length > 0 && opens.every(isHarmlessFilter) ? none : of("ask", found.left)
  for (const file of found.right) {
    const verdict = judgeLexical(file, "grep", context)
    if (verdict.decision !== "allow" && verdict.rule !== "path/outside")
      return of("ask", { rule: verdict.rule, reason: `The search would open ${excerpt(file)}: ${verdict.reason}` })
  }
  return { ...none, decision: "allow" }
}

/** The files that a search finds from a place on, which may be a file itself. */
const foundFrom = (place: string, bounds: Bounds, standing: Standing) =>
  fs.statSync(place, { throwIfNoEntry: false })?.isFile() === true
    ? Either.right([place].filter(() => isOpened(bounds, place)))
    : below(place, bounds, standing)

const isOpened = ({ opens = [] }: Bounds, file: string): boolean =>
  opens.length === 0 || opens.some((one) => mayMatch(one, path.basename(file)))

/** What rules keep from searches: ours do not find it, and those of other agents do. */
export const keptFrom = ({ tool, ...bounds }: Deed, subject: Subject, standing: Standing): Outcome | undefined => {
  const kept = standing.book.withheld(tool, subject, true)
  if (kept === undefined) return undefined
  const asked = (reason: string): Outcome => ({ ...of("ask", { rule: "rule/searched", reason }), ruled: true })
  const searched = subject.places.flatMap(({ below, paths }) => (below === "unwithheld" ? paths : []))
  // A rule is about what lies below its start; what does not cannot fit.
  const starts = searched.flatMap((place) =>
    kept.withheldFrom.flatMap((start) => (isWithin(start, place) ? [start] : isWithin(place, start) ? [place] : []))
  )
  for (const start of new Set(starts)) {
    const found = foundFrom(start, bounds, standing)
    if (Either.isLeft(found)) return asked(`A rule may keep some of it from searches: ${found.left.reason}`)
    const first = found.right.find(kept.withheld)
    if (first !== undefined) return asked(`The search would find ${excerpt(first)}, which a rule keeps from searches`)
  }
  return undefined
}
