import { findPaths } from "../Find.ts"
import type { Literal } from "../Literal.ts"
import { findShows } from "./Handed.ts"
import { does, type Step, type Touch, unread, type Unread } from "./Step.ts"
import { unknown } from "./Unknown.ts"

/** The words before, in and behind the command of a `find`. */
export const handingParts = (args: ReadonlyArray<Literal>) => {
  const at = args.findIndex(({ value }) => value === "-exec")
  const end = args.findIndex(({ value }, index) => index > at && (value === ";" || value === "+"))
  return at < 0 || end < 0
    ? undefined
    : { before: args.slice(0, at), command: args.slice(at + 1, end), after: args.slice(end + 1) }
}

/** What `find` does: the tests that only look, and a command for what is found. */
export const findDoes = (args: ReadonlyArray<Literal>): Step | Unread => {
  const paths = findPaths(args)
  if (!("decision" in paths)) return does({ touches: paths.map((word): Touch => ({ word, op: "list", by: "find" })) })
  const at = args.findIndex(({ value }) => /^-exec(?:dir)?$/.test(value))
  if (at >= 0) {
    const end = args.findIndex(({ value }, index) => index > at && (value === ";" || value === "+"))
    const shows =
      end > at && args[at]?.value === "-exec"
        ? findShows(args.slice(0, at), args.slice(end + 1), args.slice(at + 1, end))
        : undefined
    if (shows !== undefined) return shows
    const before = findPaths(args.slice(0, at))
    const after = findPaths([...args.slice(0, 1), ...args.slice(end + 1)])
    if (end > at && !("decision" in before) && !("decision" in after)) {
      return does({
        touches: before.map((word): Touch => ({ word, op: "list", by: "find" })),
        runs: [args.slice(at + 1, end).map((word) => (word.value.includes("{}") ? unknown : word))]
      })
    }
  }
  const deletes = args.filter(({ value }) => value !== "-delete")
  const looked = findPaths(deletes)
  if (deletes.length < args.length && !("decision" in looked))
    return does({ touches: looked.map((word): Touch => ({ word, op: "write", by: "find", fills: true })) })
  return unread("find", "it is not known what it does with these words")
}
