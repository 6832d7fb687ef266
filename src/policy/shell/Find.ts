import { ask, type Verdict } from "../Verdict.ts"
import type { Literal } from "./Literal.ts"
import { excerpt } from "../../text/excerpt.ts"

/** The allowed tests of `find`, by the number of their values; actions are not among them. */
export const predicates: ReadonlyMap<string, "nothing" | "text" | "path"> = new Map([
  ...(
    "-print -print0 -ls -prune -quit -true -false -empty -depth -xdev -mount -daystart -noleaf -readable -writable " +
    "-executable -nouser -nogroup -ignore_readdir_race -not -and -or -a -o -P ( ) ! ,"
  )
    .split(" ")
    .map((name) => [name, "nothing"] as const),
  ...(
    "-name -iname -path -ipath -wholename -iwholename -lname -ilname -regex -iregex -regextype -type -xtype -maxdepth " +
    "-mindepth -size -mtime -mmin -atime -amin -ctime -cmin -newermt -perm -user -group -uid -gid -inum -links -printf"
  )
    .split(" ")
    .map((name) => [name, "text"] as const),
  ["-newer", "path"],
  ["-anewer", "path"],
  ["-cnewer", "path"],
  ["-samefile", "path"]
])

const startsExpression = /^[-(),!]/

/** Where a use of `find` starts, and the words of its expression behind that. */
export const findParts = (args: ReadonlyArray<Literal>) => {
  const own = args.findIndex(({ value }) => value !== "-P")
  const from = own < 0 ? args.length : own
  const end = args.findIndex(({ value }, index) => index >= from && startsExpression.test(value))
  const at = end < 0 ? args.length : end
  return { starts: args.slice(from, at), words: args.slice(at) }
}

/** The paths that a use of `find` looks at, or why it is not known to only look. */
export const findPaths = (args: ReadonlyArray<Literal>): ReadonlyArray<Literal> | Verdict => {
  const paths: Array<Literal> = []
  let at = 0
  while (args[at]?.value === "-P") at++
  for (; at < args.length && !startsExpression.test(args[at]!.value); at++) {
    const path = args[at]!
    if (path.glob && /^[*?[]/.test(path.value)) {
      return ask(
        "shell/glob",
        `A file that matches ${excerpt(path.value)} may be named like an action of find (\`-delete\`); write \`./\` before it.`
      )
    }
    paths.push(path)
  }
  for (; at < args.length; at++) {
    const name = args[at]!
    const takes = name.glob ? undefined : predicates.get(name.value)
    if (takes === undefined) {
      return ask("shell/flag-not-listed", `find may do more than read with ${excerpt(name.value)}.`)
    }
    if (takes === "nothing") continue
    const value = args[++at]
    if (value === undefined || value.glob || (value.tilde && takes === "text")) {
      return ask("shell/operand", `${name.value} of find needs a value; put its pattern in quotes.`)
    }
    if (takes === "path") paths.push(value)
  }
  return paths
}
