import * as Either from "effect/Either"
import { usage } from "./Arguments.ts"
import { findPaths } from "./Find.ts"
import { readOnlyCommands } from "./ReadOnlyCommands.ts"
import { unwrapped } from "./Unwrapped.ts"

type Command = ReadonlyArray<string>

/** An option that holds one of these letters, or is one of these words. */
const option = (letters: string, words: string) => new RegExp(`^-(?:[a-zA-Z0-9]*[${letters}]|-(?:${words}))`)

const recursive = option("rR", "recursive|dereference-recursive")
const grep = option("rRd", "recursive|dereference-recursive|directories")

/** Programs that go through whole directories if they have such an option. */
const ifAsked: Readonly<Record<string, RegExp>> = {
  grep,
  egrep: grep,
  fgrep: grep,
  zgrep: grep,
  ls: option("R", "recursive"),
  dir: option("R", "recursive"),
  vdir: option("R", "recursive"),
  rm: recursive,
  chmod: recursive,
  chown: recursive,
  chgrp: recursive,
  eza: option("RT", "recurse|tree"),
  exa: option("RT", "recurse|tree")
}

/** Programs that go through every directory they are given, or run others on what they find. */
const always = new Set(
  (
    "find fd fdfind rg rgrep ugrep ag ack tree du ncdu tar bsdtar zip 7z 7za cpio pax rsync rclone cp mv scp diff " +
    "xargs parallel"
  ).split(" ")
)

/** Those of them that only use the paths they are given. */
const told = new Set("cp mv scp diff rsync rclone zip 7z 7za rm chmod chown chgrp".split(" "))

/** What git does with the contents of files that no word names. */
const gitReads = new Set(
  (
    "diff show grep log archive cat-file format-patch whatchanged diff-tree diff-index diff-files range-diff bundle " +
    "fast-export stash checkout restore difftool"
  ).split(" ")
)

/** What git adds or commits without being told its name. */
const gitTakesAll: ReadonlyMap<string, RegExp> = new Map([
  ["add", /^-[a-zA-Z]*[Au]|^--(?:all|update|no-ignore-removal)$/],
  ["stage", /^-[a-zA-Z]*[Au]|^--(?:all|update|no-ignore-removal)$/],
  ["commit", /^-[a-zA-Z]*a|^--all$/]
])

const gitGoesThrough = (args: Command): boolean =>
  args.some((arg, at) => {
    const takes = gitTakesAll.get(arg)
    return gitReads.has(arg) || (takes !== undefined && args.slice(at + 1).some((option) => takes.test(option)))
  })

/** Exact for a program that `run_shell` runs without asking; for another, every word may be a path. */
const operandsOf = (name: string, args: Command): ReadonlyArray<string> => {
  const literals = args.map((value) => ({ value, bare: true, glob: false, tilde: false }))
  if (name === "find") {
    const paths = findPaths(literals)
    if (!("decision" in paths)) return paths.map(({ value }) => value)
  } else if (Object.hasOwn(readOnlyCommands, name)) {
    const read = usage(name, readOnlyCommands[name]!, literals)
    if (Either.isRight(read)) return read.right.paths.map(({ value }) => value)
  }
  const words = args.filter((arg) => !arg.startsWith("-"))
  return told.has(name) ? words : [".", ...words]
}

/** Files and directories that a command descends into, at any depth; empty if it reads only the paths it names. */
export const descended = (command: Command): ReadonlyArray<string> => {
  const [program = "", ...args] = unwrapped(command)
  const name = program.slice(program.lastIndexOf("/") + 1)
  // The repository may begin above the directory.
  if (name === "git") return gitGoesThrough(args) ? ["/"] : []
  const asked = Object.hasOwn(ifAsked, name) && args.some((arg) => ifAsked[name]?.test(arg) === true)
  if (!asked && !always.has(name)) return []
  const operands = operandsOf(name, args)
  return operands.length === 0 ? ["."] : operands
}
