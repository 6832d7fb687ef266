import * as Either from "effect/Either"
import { allow, ask, strictest, type Verdict } from "../Verdict.ts"
import { handing } from "./doing/Find.ts"
import { type Printed, printedBy, xargsShows } from "./doing/Handed.ts"
import { countsByExpression } from "./doing/Printf.ts"
import type { Step } from "./doing/Step.ts"
import { usage } from "./Arguments.ts"
import { findPaths } from "./Find.ts"
import { isHarmlessFilter } from "./Globs.ts"
import { gitCommands } from "./GitCommands.ts"
import { contentsOf } from "./GitContents.ts"
import type { Literal } from "./Literal.ts"
import type { PlainCommand } from "./PlainCommand.ts"
import { onlyShow } from "./OnlyShow.ts"
import { Places } from "./Places.ts"
import type { ReadOnlyCommand } from "./ReadOnlyCommand.ts"
import { readOnlyCommands } from "./ReadOnlyCommands.ts"
import { type Search, searchOf } from "./Search.ts"
import type { ShellContext } from "./ShellContext.ts"
import { isHeavy } from "./Repetition.ts"
import { testPaths } from "./Test.ts"
import { excerpt } from "../../text/excerpt.ts"

const onlyReads = allow("shell/read-only", "Only reads, inside the allowed directories.")

/** Allows a list of plain commands all of which are known to only read where the path policy lets them. */
export const judgeReading = (commands: ReadonlyArray<PlainCommand>, context: ShellContext): Verdict => {
  const places = new Places(context)
  let printed: Printed | undefined
  let verdict = strictest(onlyReads, places.judge(here))
  for (const command of commands) {
    if (command.first || !command.chained) places.forget()
    const before = command.fed && command.direct ? printed : undefined
    verdict = strictest(verdict, judge(command, before, context, places))
    printed = command.direct ? printedBy(command.name, command.args, before) : undefined
  }
  return verdict
}

const here: Literal = { value: ".", bare: true, glob: false, tilde: false }

const judge = (command: PlainCommand, before: Printed | undefined, context: ShellContext, places: Places): Verdict => {
  const { args, inputs, name } = command
  const heavy = printsOnly.has(name) ? undefined : args.find(({ value }) => isHeavy(value))
  if (heavy !== undefined) {
    return ask(
      "shell/large-repetition",
      `The expression ${excerpt(heavy.value)} repeats too often and may use too much memory.`
    )
  }
  const fed = judgePaths(inputs, places)
  return fed.decision === "allow" ? judgeCommand(command, before, context, places) : fed
}

const printsOnly = new Set(["echo", "printf", "true", "false", ":"])

const judgeCommand = (
  command: PlainCommand,
  before: Printed | undefined,
  context: ShellContext,
  places: Places
): Verdict => {
  const { args, name } = command
  if (name === "set") return judgeSet(args)
  if (name === "find") return judgeFind(args, places)
  if (name === "xargs") return judgeHanded(before === undefined ? undefined : xargsShows(args, before), name, places)
  if (name === "test" || name === "[") return judgePaths(testPaths(name, args), places)
  if (name === "git") return judgeGit(args, context, places)
  const listed = Object.hasOwn(readOnlyCommands, name) ? readOnlyCommands[name] : undefined
  if (listed === undefined) {
    return ask("shell/command-not-listed", `Runs ${excerpt(name)}, which may write, connect or run other programs.`)
  }
  if (listed.computes === true && context.limited !== true) {
    return ask(
      "shell/command-not-listed",
      `Runs ${excerpt(name)}, which runs without asking only within limits of memory and time.`
    )
  }
  if (name === "printf" && countsByExpression(args))
    return ask("shell/operand", "Some shells compute an argument that `printf` counts with, which can run code.")
  const verdict = judgeListed(name, listed, args, places)
  return name === "cd" && verdict.decision === "allow" ? enter(command, places) : verdict
}

const judgeFind = (args: ReadonlyArray<Literal>, places: Places): Verdict => {
  const handed = handing(args)
  if (handed?.option !== "-exec") return judgePaths(findPaths(args), places)
  return strictest(
    judgePaths(findPaths([...handed.before, ...handed.after]), places),
    judgeHanded(handed.shows, "find -exec", places)
  )
}

/** What a command is handed that shows the files of which it is given the names. */
const judgeHanded = (step: Step | undefined, name: string, places: Places): Verdict => {
  const [[program, ...args] = []] = step?.runs ?? []
  const listed = program === undefined ? undefined : readOnlyCommands[program.value]
  if (step === undefined || program === undefined || listed === undefined || !onlyShow.has(program.value)) {
    return ask("shell/command-not-listed", `Runs ${excerpt(name)}, which may write, connect or run other programs.`)
  }
  return step.touches.reduce(
    (verdict, { found, word }) =>
      strictest(verdict, found === undefined ? places.judge(word) : places.found(word, found, program.value)),
    judgeListed(program.value, listed, args, places)
  )
}

const judgeListed = (name: string, listed: ReadOnlyCommand, args: ReadonlyArray<Literal>, places: Places): Verdict => {
  const read = usage(name, listed, dashed(listed, args))
  if (Either.isLeft(read)) return read.left
  const { bare, globs, paths } = read.right
  if (!globs.every(isHarmlessFilter)) {
    return ask("shell/glob", `A pattern of ${name} can match files that hold secrets.`)
  }
  if (listed.compares === true) return judgePaths(paths, places, comparing(name, places))
  const search = searchOf(listed, read.right)
  if (search === undefined) return judgePaths(paths, places)
  return judgePaths(bare ? [...paths, here] : paths, places, searching(name, search, places))
}

/** `tar tf x` is `tar -tf x`. */
const dashed = ({ dashless }: ReadOnlyCommand, [first, ...others]: ReadonlyArray<Literal>): ReadonlyArray<Literal> =>
  first === undefined
    ? []
    : [dashless?.test(first.value) === true ? { ...first, value: `-${first.value}` } : first, ...others]

const searching =
  (name: string, search: Search, places: Places) =>
  (path: string): Verdict =>
    search.hidden === "all" && search.filters.length === 0 && !places.seesBelow && places.holdsRoot(path)
      ? ask(
          "shell/whole-workspace",
          `${name} would read every file of the workspace, including hidden files and secrets; name a directory or a pattern.`
        )
      : places.searched(path, name, search)

const comparing = (name: string, places: Places) => (path: string) =>
  places.isDirectory(path) || places.holdsRoot(path)
    ? ask("shell/operand", `${name} would follow links in a directory; name the files.`)
    : onlyReads

const judgePaths = (
  paths: ReadonlyArray<Literal> | Verdict,
  places: Places,
  also?: (absolute: string) => Verdict
): Verdict =>
  "decision" in paths ? paths : paths.reduce((verdict, path) => strictest(verdict, places.judge(path, also)), onlyReads)

const judgeGit = (args: ReadonlyArray<Literal>, context: ShellContext, places: Places): Verdict => {
  if (!context.trusted || context.hardenedGit !== true) {
    return ask(
      "shell/git-untrusted",
      "git can run programs that the repository configures; git_status and git_diff run none."
    )
  }
  const given = args[0]?.value === "--no-pager" ? args.slice(1) : args
  const [first, directory, ...behind] = given
  if (first?.value !== "-C") return judgeSubcommand(given, context, places)
  if (directory === undefined || directory.glob || behind[0]?.value.startsWith("-") === true)
    return ask("shell/operand", "`git -C` runs without asking only with one directory and a command.")
  return strictest(
    places.judge(directory),
    places.within(directory, () => judgeSubcommand(behind, context, places))
  )
}

const judgeSubcommand = (args: ReadonlyArray<Literal>, context: ShellContext, places: Places): Verdict => {
  const [first, ...after] = args
  if (first?.value === "--version" && after.length === 0) return onlyReads
  const two = `${first?.value ?? ""} ${after[0]?.value ?? ""}`
  const [name, rest] = Object.hasOwn(gitCommands, two) ? [two, after.slice(1)] : [first?.value ?? "", after]
  const listed = Object.hasOwn(gitCommands, name) ? gitCommands[name] : undefined
  if (listed === undefined)
    return ask("shell/git-command", `Runs ${excerpt(`git ${name}`)}, which may write, connect or run other programs.`)
  if (rest.some((arg) => /%[-+ ]?G|%\(\*?(?:signature|raw)/.test(arg.value))) {
    return ask("shell/operand", "`%G…` runs a program to check signatures, and `%(raw)` prints any file.")
  }
  const read = usage(`git ${name}`, listed, rest)
  if (Either.isLeft(read)) return read.left
  const contents = contentsOf(
    name,
    rest.map(({ value }) => value),
    read.right.paths.map(({ value }) => value),
    (path) => places.exists(path)
  )
  if (contents.of === "past" && rest.some((arg) => arg.glob || arg.tilde))
    return ask("shell/glob", "A pattern in a past commit can match files that hold secrets.")
  const refused = places.judgeGit(contents)
  if (refused !== undefined) return refused
  if (name === "grep" && context.judgeGit === undefined) {
    return ask("shell/git-contents", "Searches tracked files, whose names are not known here.")
  }
  return judgePaths(read.right.paths.flatMap(inTree), places)
}

/** `HEAD:src/x` names a file of a revision, which is judged as that file; `HEAD^{/a:b}:x` has a colon more. */
const inTree = (operand: Literal): ReadonlyArray<Literal> => [
  operand,
  ...[...operand.value.matchAll(/:/g)]
    .map(({ index }) => operand.value.slice(index + 1))
    .filter((path) => path !== "")
    .map((value) => ({ ...operand, value }))
]

/** Options of the shell that make it stop or tell, and none that changes how it reads. */
const judgeSet = (args: ReadonlyArray<Literal>): Verdict =>
  /^-[eux]{1,3}$|^-[eux]{0,3}o pipefail$/.test(args.map(({ value }) => value).join(" "))
    ? onlyReads
    : ask("shell/operand", "`set` runs without asking only with -e, -u, -x and -o pipefail.")

const enter = (command: PlainCommand, places: Places): Verdict => {
  const [directory, ...more] = command.args.filter((arg) => arg.value !== "--")
  if (directory === undefined || more.length > 0 || directory.value === "-" || command.piped || directory.glob) {
    return ask("shell/operand", "`cd` runs without asking only with one directory, and not in a pipe.")
  }
  if (/^\+\d/.test(directory.value)) return ask("shell/operand", "zsh goes back to an earlier directory with `cd +1`.")
  places.enter(directory, command.chained)
  return onlyReads
}
