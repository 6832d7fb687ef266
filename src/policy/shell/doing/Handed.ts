import * as Either from "effect/Either"
import type { Redirection } from "unbash"
import { usage } from "../Arguments.ts"
import { findParts, findPaths } from "../Find.ts"
import { type FindExpression, findExpression } from "../FindExpression.ts"
import type { Literal } from "../Literal.ts"
import { readOnlyCommands } from "../ReadOnlyCommands.ts"
import { searchOf } from "../Search.ts"
import { spoken } from "./Listed.ts"
import { ownOptions, ownWords, replacedBy } from "./Launchers.ts"
import type { Found, Step, Touch } from "./Step.ts"
import { does, unknownPart } from "./Step.ts"
import { plain } from "./Unknown.ts"

/** Names of files that a command prints, one in a line or behind a NUL. */
export interface Printed {
  /** Where the files lie, or what they lie below. */
  readonly starts: ReadonlyArray<Literal>
  readonly expression: FindExpression
  readonly isNul: boolean
  /** They are printed without the name of the place that they lie below. */
  readonly isBare: boolean
}

const here: Literal = { ...plain, value: "." }
const everything = findExpression([])!

/** Whether a redirection only drops what a command complains of. */
export const isQuiet = (redirect: Redirection): boolean =>
  redirect.type === "Redirect" &&
  redirect.operator === ">" &&
  redirect.descriptor?.type === "FileDescriptor" &&
  redirect.descriptor.value === 2 &&
  redirect.target?.text === "/dev/null"

/** How a command is used of which every listed use only reads. */
const usageOf = (name: string, args: ReadonlyArray<Literal>) => {
  const listed = Object.hasOwn(readOnlyCommands, name) ? readOnlyCommands[name] : undefined
  const read = listed === undefined ? undefined : usage(name, listed, args)
  if (listed === undefined || read === undefined || Either.isLeft(read)) return undefined
  const { bare, options, paths } = read.right
  return { bare, options, paths, goesIn: listed.compares === true || searchOf(listed, read.right) !== undefined }
}

/** What a use of `find` that only looks finds; none where that is not known. */
export const findsWhat = (args: ReadonlyArray<Literal>): Pick<Printed, "expression" | "starts"> | undefined => {
  if ("decision" in findPaths(args)) return undefined
  const { starts, words } = findParts(args)
  const expression = findExpression(words.map(({ value }) => value))
  return expression === undefined ? undefined : { starts: starts.length === 0 ? [here] : starts, expression }
}

/**
 * A command that is known to only show what it is handed, with the places that this lies below in the places of the names; none
 * where it may do more, or where it goes through the directories that it is handed.
 */
const shown = (
  [program, ...args]: ReadonlyArray<Literal>,
  isName: (word: Literal) => boolean,
  starts: ReadonlyArray<Literal>
): ReadonlyArray<Literal> | undefined => {
  if (program === undefined || starts.some(({ value }) => value.includes(unknownPart))) return undefined
  const words = args.flatMap((word) => (isName(word) ? starts : [word]))
  if (words.some(({ value }) => value.includes(unknownPart))) return undefined
  if (spoken.has(program.value)) return [program, ...words]
  // Of one place come many names, so that it has to be no other use with more of them.
  const more = args.flatMap((word) => (isName(word) ? [...starts, ...starts] : [word]))
  const read = usageOf(program.value, more) === undefined ? undefined : usageOf(program.value, words)
  if (read === undefined) return undefined
  const { goesIn, paths } = read
  const count = (all: ReadonlyArray<Literal>, { value }: Literal) => all.filter((one) => one.value === value).length
  // A name could be a pattern or a program in any other place.
  return goesIn || starts.some((start) => count(words, start) !== count(paths, start)) ? undefined : [program, ...words]
}

const reading = (words: ReadonlyArray<Literal>, starts: ReadonlyArray<Literal>, found: Found): Step => {
  const by = words.map(({ value }) => value).join(" ")
  return does({ touches: starts.map((word): Touch => ({ word, op: "read", by, found })), runs: [words] })
}

/** What `find` does that hands what it finds to a command which only shows it. */
export const findShows = (
  before: ReadonlyArray<Literal>,
  after: ReadonlyArray<Literal>,
  command: ReadonlyArray<Literal>
): Step | undefined => {
  const found = findsWhat([...before, { ...plain, value: "-print" }, ...after])
  if (found === undefined || command.some(({ value }) => value !== "{}" && value.includes("{}"))) return undefined
  const words = shown(command, ({ value }) => value === "{}", found.starts)
  if (words === undefined) return undefined
  const { touches, ...step } = reading(words, found.starts, {
    expression: found.expression,
    isBare: false,
    isSplit: false
  })
  return { ...step, touches: [...found.starts.map((word): Touch => ({ word, op: "list", by: "find" })), ...touches] }
}

/** Options of programs with which they pass on some of the lines that they read, in any order. */
const ordering = new Set("-n -r -u -V -q --lines --reverse --unique".split(" "))

/** Options of `grep` with which it prints lines as they are. */
const selecting = new Set("-v -i -E -F -G -P -w -x -e --invert-match --ignore-case --extended-regexp".split(" "))

const isGrep = /^[ef]?grep$/

/** Options of `rg` by which something else is printed. */
const tells = /^(?:-[cp]|--(?:pretty|json|label|count|count-matches|vimgrep|stats|passthru|type-list|colou?r|colors))$/

const filters = /^(?:--files|-g|--glob|-t|--type)$/

const listsMatches = (options: ReadonlySet<string>): boolean =>
  (options.has("-l") || options.has("--files-with-matches")) && ![...options].some((option) => tells.test(option))

/** Whether it prints the names of files below its operands: `rg -l`, `grep -rl`. */
const listing = (name: string, options: ReadonlySet<string>): boolean =>
  name === "rg"
    ? listsMatches(options) || (options.has("--files") && [...options].every((option) => filters.test(option)))
    : isGrep.test(name) && listsMatches(options) && (options.has("-r") || options.has("--recursive"))

/** Whether git prints the names of files below where it runs, and nothing else. */
const gitLists = ([verb, ...words]: ReadonlyArray<string>): boolean =>
  verb === "ls-files"
    ? words.every((word) => /^(?:-[cmoz]|--exclude-standard)$/.test(word))
    : verb === "diff" &&
      words.includes("--name-only") &&
      words.every((word) =>
        /^(?:--name-only|--cached|--staged|--diff-filter=[A-Z]+|-z|HEAD[~^\d]*|(?!-)[\w/-]+(?:\.{2,3}[\w/-]+)?)$/.test(
          word
        )
      )

/** The names of files that a command prints, by those that it is given; none where it prints something else. */
export const printedBy = (
  name: string,
  args: ReadonlyArray<Literal>,
  before: Printed | undefined
): Printed | undefined => {
  if (name === "find") {
    const found = findsWhat(args)
    const end = found?.expression.end
    return found === undefined || end === undefined ? undefined : { ...found, isBare: false, isNul: end === "nul" }
  }
  if (name === "git") {
    const values = args.map(({ value }) => value)
    // A name that is not on the disk any more can be two words, of which the second leads elsewhere.
    return gitLists(values) && values.includes("-z") && !args.some(({ glob, tilde }) => glob || tilde)
      ? { starts: [here], expression: everything, isBare: true, isNul: true }
      : undefined
  }
  if (name === "xargs" && before !== undefined) {
    const [[listing, ...words] = []] = xargsShows(args, before)?.runs ?? []
    const options = listing === undefined ? undefined : usageOf(listing.value, words)?.options
    return listing !== undefined && options !== undefined && isGrep.test(listing.value) && listsMatches(options)
      ? { ...before, isNul: options.has("-Z") || options.has("--null") }
      : undefined
  }
  const read = usageOf(name, args)
  if (read === undefined) return undefined
  const { bare, options, paths } = read
  if (listing(name, options)) {
    const isNul = ["-0", "-Z", "--null"].some((option) => options.has(option))
    return { starts: bare ? [...paths, here] : paths, expression: everything, isBare: bare, isNul }
  }
  if (before === undefined || before.isNul || paths.length > 0) return undefined
  const selects = /^(?:head|tail|sort|uniq)$/.test(name)
    ? [...options].every((option) => ordering.has(option))
    : isGrep.test(name) && [...options].every((option) => selecting.has(option))
  return selects ? before : undefined
}

/** What `xargs` does with names that only are shown by the command that it starts; none where that is not known. */
export const xargsShows = (args: ReadonlyArray<Literal>, printed: Printed): Step | undefined => {
  const own = ownWords("xargs", args)
  if (own < 0) return undefined
  const options = ownOptions("xargs", args.slice(0, own))
  if (options.has("-d")) return undefined
  const isNul = options.has("-0") || options.has("--null")
  if (isNul !== printed.isNul) return undefined
  const name = replacedBy(args.slice(0, own))
  if (name !== undefined && !/^[\w{}%@]+$/.test(name)) return undefined
  const command = args.slice(own)
  // Some put what they read in the place of the program as well, and of -I and a count the last one holds.
  const isCounted = options.has("-n") || options.has("-L") || options.has("--max-args")
  if (name !== undefined && (isCounted || command[0]?.value === name)) return undefined
  if (name !== undefined && command.some(({ value }) => value !== name && value.includes(name))) return undefined
  const asked = command.length === 0 ? [{ ...plain, value: "echo" }] : command
  const mark: Literal = { ...plain, value: unknownPart }
  const words =
    name === undefined
      ? shown([...asked, mark], (word) => word === mark, printed.starts)
      : shown(asked, ({ value }) => value === name, printed.starts)
  return words === undefined
    ? undefined
    : reading(words, printed.starts, { expression: printed.expression, isBare: printed.isBare, isSplit: !isNul })
}
