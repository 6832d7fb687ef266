import { findPaths } from "../Find.ts"
import type { Literal } from "../Literal.ts"
import { findShows } from "./Handed.ts"
import { does, type Step, type Touch, unread, type Unread } from "./Step.ts"
import { unknown } from "./Unknown.ts"

/** The words before, in and behind the command of a `find`, by which option that is given, and what it shows, where it is known to only show. */
export const handing = (args: ReadonlyArray<Literal>) => {
  const at = args.findIndex(({ value }) => /^-exec(?:dir)?$/.test(value))
  const end = args.findIndex(({ value }, index) => index > at && (value === ";" || value === "+"))
  if (at < 0 || end < 0) return undefined
  const [before, command, after] = [args.slice(0, at), args.slice(at + 1, end), args.slice(end + 1)]
  const option = args[at]?.value
  return { option, before, command, after, shows: option === "-exec" ? findShows(before, after, command) : undefined }
}

/** What `find` does: the tests that only look, and a command for what is found. */
export const findDoes = (args: ReadonlyArray<Literal>): Step | Unread => {
  const paths = findPaths(args)
  if (!("decision" in paths)) return does({ touches: paths.map((word): Touch => ({ word, op: "list", by: "find" })) })
  const handed = handing(args)
  if (handed !== undefined) {
    if (handed.shows !== undefined) return handed.shows
    const before = findPaths(handed.before)
    const after = findPaths([...args.slice(0, 1), ...handed.after])
    if (!("decision" in before) && !("decision" in after)) {
      return does({
        touches: before.map((word): Touch => ({ word, op: "list", by: "find" })),
        runs: [handed.command.map((word) => (word.value.includes("{}") ? unknown : word))]
      })
    }
  }
  const deletes = args.filter(({ value }) => value !== "-delete")
  const looked = findPaths(deletes)
  if (deletes.length < args.length && !("decision" in looked))
    return does({ touches: looked.map((word): Touch => ({ word, op: "write", by: "find", fills: true })) })
  return unread("find", "it is not known what it does with these words")
}
