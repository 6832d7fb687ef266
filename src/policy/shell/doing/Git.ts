import * as Either from "effect/Either"
import { usage } from "../Arguments.ts"
import { gitCommands } from "../GitCommands.ts"
import type { Literal } from "../Literal.ts"
import type { OrdinaryCommand } from "./OrdinaryCommand.ts"
import { harmlessSetting, ordinaryGit, runningSetting } from "./OrdinaryGit.ts"
import { repositoryName } from "./repositoryName.ts"
import { everything } from "../Search.ts"
import { filledWith, treeChanged } from "./TreeChanges.ts"
import { does, type Step, type Touch, unknownPart, unread, type Unread } from "./Step.ts"

const isHarmlessValue = (setting: string): boolean => {
  const [, name = "", value = ""] = /^([^=]*)=?(.*)$/s.exec(setting) ?? []
  if (harmlessSetting.test(name)) return true
  if (/^core\.(?:pager|editor)$|^pager\.\w+$/i.test(name)) return /^(?:cat|true|:|)$/.test(value)
  if (/^core\.fsmonitor$/i.test(name)) return /^(?:false|true|)$/.test(value)
  return /^core\.hookspath$/i.test(name) && value === "/dev/null"
}

const unclear = (name: string): Unread => unread(`git ${name}`, "it is not known what it does with these words")

/** What git does by its words; what the repository configures is its own affair. */
export const gitDoes = (args: ReadonlyArray<Literal>): Step | Unread => {
  let at = 0
  let within: Literal | undefined
  for (; at < args.length; at++) {
    const { value } = args[at]!
    const next = args[at + 1]
    if (value === "--no-pager" || value === "-P" || value === "--no-optional-locks" || value === "--literal-pathspecs")
      continue
    if (
      value === "-C" &&
      within === undefined &&
      next !== undefined &&
      !next.glob &&
      !next.value.includes(unknownPart)
    ) {
      within = next
      at++
    } else if (value === "-c" && next !== undefined && isHarmlessValue(next.value)) at++
    else break
  }
  const [first, ...rest] = args.slice(at)
  const name = first?.value ?? ""
  if (name === "" || name === "--version" || name === "--help") return does({})
  if (name.startsWith("-") || name.includes(unknownPart)) return unclear("")
  const found = name === "config" ? ofConfig(rest) : ofSubcommand(name, rest)
  const placed = within === undefined ? {} : { within }
  return "reason" in found
    ? { ...found, does: does({ touches: outputs(name, rest), ...placed }) }
    : { ...found, ...placed }
}

/** Where a subcommand puts what it prints otherwise, whatever else it is told. */
const outputs = (name: string, args: ReadonlyArray<Literal>): ReadonlyArray<Touch> => {
  const option = /^(?:archive|format-patch)$/.test(name)
    ? /^(?:--output(?:-directory)?(?:=|$)|-o)(.*)$/s
    : /^--output(?:=|$)(.*)$/s
  return args.flatMap((word, at): ReadonlyArray<Touch> => {
    const found = option.exec(word.value)
    const value = found?.[1] === "" ? args[at + 1]?.value : found?.[1]
    return value === undefined ? [] : [{ word: { ...word, value }, op: "write", by: `git ${name}` }]
  })
}

/** The operands that name another repository, which may be a remote by its name. */
const addressesOf = (
  name: string,
  { lead }: OrdinaryCommand,
  args: ReadonlyArray<Literal>,
  operands: ReadonlyArray<Literal>
): ReadonlyArray<Literal> => {
  if (name === "clone") return args.filter(({ value }) => lead?.test(value) === true)
  if (/^(?:fetch|pull|ls-remote)$/.test(name)) return operands.slice(0, 1)
  return name === "remote" && /^(?:add|set-url)$/.test(operands[0]?.value ?? "") ? operands.slice(2) : []
}

/** What is reached at such addresses: places on the disk, and hosts as addresses that the rules of the network know. */
const reachedBy = (
  addresses: ReadonlyArray<Literal>
): { readonly places: ReadonlyArray<Literal>; readonly urls: ReadonlyArray<string> } => {
  const places: Array<Literal> = []
  const urls: Array<string> = []
  for (const word of addresses) {
    const [, scheme = "", rest = ""] = /^([a-z][a-z\d+.-]*):\/\/(.*)$/is.exec(word.value) ?? []
    const [, host] = /^(?:[^/@]*@)?([^/:@]+|\[[^\]]*\]):/.exec(word.value) ?? []
    if (/^file$/i.test(scheme)) places.push({ ...word, value: rest })
    else if (/^https?$/i.test(scheme)) urls.push(word.value)
    else if (scheme !== "") urls.push(`https://${rest.replace(/^([^/]*):\d*(?=\/|$)/, "$1")}`)
    else if (host !== undefined) urls.push(`https://${host}/`)
    else if (/[/~]|^\.\.$/.test(word.value)) places.push(word)
  }
  return { places, urls }
}

/** The directory that a clone is put into where no word says another: the last name of the address. */
const clonedTo = (args: ReadonlyArray<Literal>, { lead }: OrdinaryCommand): ReadonlyArray<Literal> =>
  args.flatMap((word) => {
    const name = repositoryName(word.value)
    return lead?.test(word.value) === true && name !== undefined ? [{ ...word, value: name }] : []
  })

const fits = (name: string, command: OrdinaryCommand, args: ReadonlyArray<Literal>): Step | Unread => {
  const isSplit = args.some(({ value }) => value.includes(unknownPart + unknownPart))
  const found = usage(`git ${name}`, command, args)
  if (isSplit || Either.isLeft(found)) return unclear(name)
  const { operands, options, paths, written } = found.right
  if ([...operands].some(({ value }) => value.startsWith(unknownPart))) return unclear(name)
  const by = `git ${name}`
  const values = (words: ReadonlyArray<Literal>) => words.map(({ value }) => value)
  // It compares files and directories as `diff -r` does, and shows them.
  const isApart = name === "diff" && options.has("--no-index")
  const moved = name === "mv" ? written.slice(0, -1) : []
  const { places, urls } = reachedBy(addressesOf(name, command, args, operands))
  const changed = name === "clone" && written.length === 0 ? clonedTo(args, command) : written
  return does({
    urls,
    git: { name, args: values(args), operands: values(paths) },
    touches: [
      ...[...places, ...moved, ...(isApart ? paths : [])].map((word): Touch => ({
        word,
        op: "read",
        by,
        below: everything
      })),
      ...paths.flatMap(inTree).map((word): Touch => ({ word, op: "mention", by })),
      ...changed.map((word): Touch => ({
        word,
        op: "write",
        by,
        ...(name === "clone" && { fills: true }),
        ...(name === "mv" && !moved.includes(word) && { named: moved })
      })),
      ...(name === "clone" || name === "worktree" ? changed.map((word) => filledWith(word, by)) : []),
      ...treeChanged(name, { options, operands }, by)
    ]
  })
}

/** A path, or the path behind the name of a revision. */
const inTree = (word: Literal): ReadonlyArray<Literal> => {
  const at = word.value.lastIndexOf(":")
  return at < 0 ? [word] : [word, { ...word, value: word.value.slice(at + 1) }].filter(({ value }) => value !== "")
}

const ofSubcommand = (name: string, rest: ReadonlyArray<Literal>): Step | Unread => {
  const two = `${name} ${rest[0]?.value ?? ""}`
  const tables = [
    ...(Object.hasOwn(gitCommands, two) ? [[two, gitCommands[two]!, rest.slice(1)] as const] : []),
    ...(Object.hasOwn(gitCommands, name) ? [[name, gitCommands[name]!, rest] as const] : []),
    ...(Object.hasOwn(ordinaryGit, name) ? [[name, ordinaryGit[name]!, rest] as const] : [])
  ]
  let worst: Step | Unread = unread(`git ${name}`, "it is not known what it does")
  for (const [called, table, args] of tables) {
    const found = fits(called, table, args)
    if (!("reason" in found)) return found
    worst = found
  }
  return worst
}

/** Where the settings of the user are, if it is those that are changed. */
const ofUser: Literal = { value: "~/.gitconfig", bare: true, glob: false, tilde: true }

/** Reads and changes of settings: those by which git runs programs are told apart. */
const ofConfig = (args: ReadonlyArray<Literal>): Step | Unread => {
  const fitting = fits("config", ordinaryGit["config"]!, args)
  const values = args.map(({ value }) => value)
  const setting = values.find((value) => runningSetting.test(value))
  const words = values.filter((value) => !value.startsWith("-"))
  const [verb] = words
  const isVerb = verb === "set" || verb === "get" || verb === "list" || verb === "unset"
  const named = isVerb ? words.slice(1) : words
  const reads =
    values.some((value) => /^(?:--get(?:-all|-regexp)?|--list|-l)$/.test(value)) ||
    verb === "get" ||
    verb === "list" ||
    named.length < 2
  const unsets = values.some((value) => value.startsWith("--unset")) || verb === "unset"
  if (setting !== undefined && !reads && !unsets) return does({ settings: [setting] })
  if ("reason" in fitting) return fitting
  if (!reads || unsets) {
    if (values.includes("--system")) return unclear("config")
    if (values.includes("--global")) return does({ touches: [{ word: ofUser, op: "write", by: "git config" }] })
  }
  if (reads || unsets || harmlessSetting.test(named[0] ?? "")) return does({})
  return unclear("config")
}
