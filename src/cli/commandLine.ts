import * as Command from "@effect/cli/Command"
import type { Usage } from "@effect/cli/Usage"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { ownValue } from "../text/ownValue.ts"
import { literally, similar } from "./Guard.ts"
import type { CommandTree } from "./Help.ts"

/** An option as a command takes it. */
export interface Known {
  readonly names: ReadonlyArray<string>
  /** What it accepts: `text`, `integer` or the choices; a switch if unset. */
  readonly accepts: string | undefined
  readonly repeated: boolean
  /** It has a value that must be given. */
  readonly required: boolean
}

/** What is logged; every command takes it, in any place. */
const logLevel: Known = {
  names: ["--log-level"],
  accepts: "error | warning | info | debug | all",
  repeated: false,
  required: false
}

/** What every command takes. */
const common: ReadonlyArray<Known> = [
  logLevel,
  { names: ["--completions"], accepts: "sh | bash | fish | zsh", repeated: false, required: false },
  { names: ["--version"], accepts: undefined, repeated: false, required: false }
]

export const optionsOf = (usage: Usage, repeated = false, optional = false): ReadonlyArray<Known> => {
  switch (usage._tag) {
    case "Named": {
      const accepts = Option.getOrUndefined(usage.acceptedValues)
      return usage.names[0]?.startsWith("-") === true
        ? [{ names: usage.names, accepts, repeated, required: !optional && accepts !== undefined }]
        : []
    }
    case "Optional":
      return optionsOf(usage.usage, repeated, true)
    case "Repeated":
      return optionsOf(usage.usage, true, true)
    case "Concat":
    case "Alternation": {
      const either = optional || usage._tag === "Alternation"
      return [...optionsOf(usage.left, repeated, either), ...optionsOf(usage.right, repeated, either)]
    }
    default:
      return []
  }
}

const quoted = (word: string): string => JSON.stringify(word.length > 80 ? `${word.slice(0, 80)}…` : word)

/** What other programs call an option. */
const elsewhere: Readonly<Record<string, string>> = { "--model": "--profile", "--port": "--listen" }

const unknown = (name: string, known: ReadonlyArray<Known>): string => {
  if (/^-\d/.test(name)) return `${name.slice(0, 80)} looks like an option; put -- in front of such a word`
  if (/^-[^-]./.test(name)) {
    return `unknown option ${name.slice(0, 80)}; write short options separately: -x -y VALUE`
  }
  const names = known.flatMap(({ names }) => names).filter((one) => one.startsWith("--"))
  const same = ownValue(elsewhere, name)
  const near = same !== undefined && names.includes(same) ? same : similar(name, names)
  return `unknown option ${name.slice(0, 80)}${near === undefined ? "" : `; did you mean ${near}?`}`
}

/** What is wrong with the value of an option. */
const unfit = (name: string, accepts: string, value: string | undefined): string | undefined => {
  if (value === undefined || value === "") return `${name} needs a value`
  if (accepts === "integer") {
    return /^[+-]?\d{1,15}$/.test(value) ? undefined : `${name} takes a whole number, not ${quoted(value)}`
  }
  const choices = accepts.split(" | ")
  if ((name === "--approve" || name === "--mode") && value === "allow" && !choices.includes(value)) {
    return `to run every call without asking, use --dangerously-allow-all instead of ${name} allow`
  }
  return choices.length < 2 || choices.includes(value)
    ? undefined
    : `${name} takes ${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}, not ${quoted(value)}`
}

/** Of a word behind the options of a command that takes none: others take the session behind `--resume`. */
const unexpected = (word: string, path: ReadonlyArray<string>, names: ReadonlyArray<string>): string => {
  const what = `unexpected argument ${quoted(word)}`
  if (path.length > 0) return what
  return names.some((name) => ["--resume", "-r", "--continue", "-c"].includes(name))
    ? `${what}; to open a session by its id: tollgate --session ID`
    : `${what}; to send it as a prompt: tollgate run "…"`
}

export interface Refusal {
  readonly problem: string
  /** The command whose help says what there is. */
  readonly command: string
}

export interface CommandLine {
  /** For the parser. */
  readonly words: ReadonlyArray<string>
  /** The value of `--log-level`. */
  readonly logLevel?: string
}

/** A word of the command line that is not the name of a command. */
interface Given {
  readonly word: string
  readonly kind: "switch" | "option" | "value" | "argument"
}

/**
 * The words of a command line as the parser must be given them, or what is wrong with its options, in a sentence: the parser
 * takes some of that for something else, and drops options in front of a command. They count behind it, where it has them.
 * What stands behind `--`, or behind a switch, is no value of an option.
 */
export const checked = (tree: CommandTree, words: ReadonlyArray<string>): Either.Either<CommandLine, Refusal> => {
  const end = words.indexOf("--")
  const before = end < 0 ? words : words.slice(0, end)
  const literals = (end < 0 ? [] : words.slice(end + 1)).map(literally)
  let node = tree
  const path: Array<string> = []
  const refuse = (problem: string) => Either.left({ problem, command: ["tollgate", ...path].join(" ") })
  let known = [...optionsOf(Command.getUsage(node.command)), ...common]
  let seen = new Map<Known, string>()
  /** Of all options so far, those in front of a command included. */
  const names: Array<string> = []
  const given: Array<Given> = []
  let level: string | undefined
  for (let index = 0; index < before.length; index++) {
    const word = before[index] ?? ""
    if (!word.startsWith("-") || word === "-") {
      const next = node.below !== undefined && Object.hasOwn(node.below, word) ? node.below[word] : undefined
      if (next === undefined) {
        given.push({ word, kind: "argument" })
        continue
      }
      node = next
      path.push(word)
      known = [...optionsOf(Command.getUsage(node.command)), ...common]
      seen = new Map(
        names.flatMap((name) => {
          const same = known.find((one) => one.names.includes(name))
          return same === undefined ? [] : [[same, name] as const]
        })
      )
      continue
    }
    const [, name = word, written] = /^(--[^=]*)=(.*)$/s.exec(word) ?? []
    const option = known.find(({ names }) => names.includes(name))
    if (option === undefined) return refuse(unknown(name, known))
    if (option !== logLevel) given.push({ word, kind: option.accepts === undefined ? "switch" : "option" })
    if (seen.has(option) && !option.repeated) return refuse(`${name} is given twice`)
    seen.set(option, name)
    names.push(name)
    if (option.accepts === undefined) {
      if (written !== undefined) return refuse(`${name} takes no value, but was given ${quoted(written)}`)
      continue
    }
    const next = written ?? before[++index]
    if (option === logLevel) level = next
    else if (written === undefined && next !== undefined) given.push({ word: next, kind: "value" })
    if (written === undefined && next !== undefined && /^-\D/.test(next)) {
      return refuse(
        `${name} needs a value; write one that begins with - as ${option.names.at(-1)}=${next.slice(0, 80)}`
      )
    }
    const problem = unfit(name, option.accepts, next)
    if (problem !== undefined) return refuse(problem)
  }
  const foreign = names.find((name) => !known.some((one) => one.names.includes(name)))
  if (foreign !== undefined) return refuse(`${["tollgate", ...path].join(" ")} has no option ${foreign}`)
  const missing = known.find((one) => one.required && !seen.has(one))
  if (missing !== undefined) return refuse(`${missing.names.at(-1)} is missing`)
  const stray = node.below === undefined ? undefined : given.find(({ kind }) => kind === "argument")
  if (stray !== undefined) return refuse(unexpected(stray.word, path, names))
  const marked = given.map(({ kind, word }, index) =>
    kind === "argument" && given[index - 1]?.kind === "switch" ? literally(word) : word
  )
  return Either.right({ words: [...path, ...marked, ...literals], ...(level === undefined ? {} : { logLevel: level }) })
}
