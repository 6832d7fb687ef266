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

/** Directories that a search leaves out. */
const leftOut =
  ({ isIgnored }: Standing) =>
  (directory: string): boolean =>
    left.test(directory) || isIgnored(directory)

const below = (directory: string, opens: ReadonlyArray<string>, standing: Standing) =>
  Either.map(
    descend({ directory, filters: opens, hidden: "all", most: maximumLooks, skips: leftOut(standing) }),
    ({ files }) => files
  )

/**
 * What a search of another agent would open: it withholds no secrets, hidden and ignored files may be among them. A directory that
 * git ignores is one that searches leave out.
 */
export const openedBy = (directory: string, opens: ReadonlyArray<string>, standing: Standing): Outcome => {
  const { context } = standing
  const found = below(ledTo(directory), opens, standing)
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
const foundFrom = (place: string, opens: ReadonlyArray<string>, standing: Standing) =>
  fs.statSync(place, { throwIfNoEntry: false })?.isFile() === true
    ? Either.right([place].filter(() => opens.length === 0 || opens.some((one) => mayMatch(one, path.basename(place)))))
    : below(place, opens, standing)

/** What rules keep from searches: ours do not find it, and those of other agents do. */
export const keptFrom = ({ opens = [], tool }: Deed, subject: Subject, standing: Standing): Outcome | undefined => {
  const kept = standing.book.withheld(tool, subject, true)
  if (kept === undefined) return undefined
  const asked = (reason: string): Outcome => ({ ...of("ask", { rule: "rule/searched", reason }), ruled: true })
  const searched = subject.places.flatMap(({ below, paths }) => (below === "unwithheld" ? paths : []))
  // A rule is about what lies below its start; what does not cannot fit.
  const starts = searched.flatMap((place) =>
    kept.withheldFrom.flatMap((start) => (isWithin(start, place) ? [start] : isWithin(place, start) ? [place] : []))
  )
  for (const start of new Set(starts)) {
    const found = foundFrom(start, opens, standing)
    if (Either.isLeft(found)) return asked(`A rule may keep some of it from searches: ${found.left.reason}`)
    const first = found.right.find(kept.withheld)
    if (first !== undefined) return asked(`The search would find ${excerpt(first)}, which a rule keeps from searches`)
  }
  return undefined
}
