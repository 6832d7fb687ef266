import * as Command from "@effect/cli/Command"
import type { Usage } from "@effect/cli/Usage"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { literally, similar } from "./Guard.ts"
import type { CommandTree } from "./Help.ts"

/** An option as a command takes it. */
interface Known {
  readonly names: ReadonlyArray<string>
  /** What it accepts: `text`, `integer` or the choices; a switch where absent. */
  readonly accepts: string | undefined
  readonly repeated: boolean
}

/** What is logged; every command takes it, wherever it stands. */
const logLevel: Known = { names: ["--log-level"], accepts: "error | warning | info | debug | all", repeated: false }

/** What every command takes. */
const common: ReadonlyArray<Known> = [
  logLevel,
  { names: ["--completions"], accepts: "sh | bash | fish | zsh", repeated: false },
  { names: ["--version"], accepts: undefined, repeated: false }
]

const optionsOf = (usage: Usage, repeated = false): ReadonlyArray<Known> => {
  switch (usage._tag) {
    case "Named":
      return usage.names[0]?.startsWith("-") === true
        ? [{ names: usage.names, accepts: Option.getOrUndefined(usage.acceptedValues), repeated }]
        : []
    case "Optional":
      return optionsOf(usage.usage, repeated)
    case "Repeated":
      return optionsOf(usage.usage, true)
    case "Concat":
    case "Alternation":
      return [...optionsOf(usage.left, repeated), ...optionsOf(usage.right, repeated)]
    default:
      return []
  }
}

const quoted = (word: string): string => JSON.stringify(word.length > 80 ? `${word.slice(0, 80)}…` : word)

const unknown = (name: string, known: ReadonlyArray<Known>): string => {
  if (/^-\d/.test(name)) return `${name.slice(0, 80)} is taken for an option; such a word stands behind --`
  if (/^-[^-]./.test(name)) {
    return `there is no option ${name.slice(0, 80)}; short options are written apart, each with its value behind it`
  }
  const near = similar(
    name,
    known.flatMap(({ names }) => names).filter((one) => one.startsWith("--"))
  )
  return `unknown option ${name.slice(0, 80)}${near === undefined ? "" : `; did you mean ${near}?`}`
}

/** What is wrong with the value of an option. */
const unfit = (name: string, accepts: string, value: string | undefined): string | undefined => {
  if (value === undefined || value === "") return `${name} needs a value`
  if (accepts === "integer") {
    return /^[+-]?\d{1,15}$/.test(value) ? undefined : `${name} takes a whole number, not ${quoted(value)}`
  }
  const choices = accepts.split(" | ")
  return choices.length < 2 || choices.includes(value)
    ? undefined
    : `${name} takes ${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}, not ${quoted(value)}`
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

/**
 * The words of a command line as the parser must be given them, or what is wrong with its options, in a sentence: the parser
 * takes some of that for something else. What stands behind `--`, or behind a switch, is no value of an option.
 */
export const checked = (tree: CommandTree, words: ReadonlyArray<string>): Either.Either<CommandLine, Refusal> => {
  const end = words.indexOf("--")
  const before = end < 0 ? words : words.slice(0, end)
  const literals = (end < 0 ? [] : words.slice(end + 1)).map(literally)
  if (!before.some((word) => word.startsWith("-"))) return Either.right({ words: [...before, ...literals] })
  let node = tree
  let command = "tollgate"
  const refuse = (problem: string) => Either.left({ problem, command })
  let known = [...optionsOf(Command.getUsage(node.command)), ...common]
  let seen = new Set<Known>()
  let afterSwitch = false
  const marked: Array<string> = []
  let level: string | undefined
  for (let index = 0; index < before.length; index++) {
    const word = before[index] ?? ""
    if (!word.startsWith("-") || word === "-") {
      const next = node.below !== undefined && Object.hasOwn(node.below, word) ? node.below[word] : undefined
      marked.push(next === undefined && afterSwitch ? literally(word) : word)
      afterSwitch = false
      if (next === undefined) continue
      node = next
      command = `${command} ${word}`
      known = [...optionsOf(Command.getUsage(node.command)), ...common]
      seen = new Set()
      continue
    }
    const [, name = word, given] = /^(--[^=]*)=(.*)$/s.exec(word) ?? []
    const option = known.find(({ names }) => names.includes(name))
    if (option === undefined) return refuse(unknown(name, known))
    if (option !== logLevel) marked.push(word)
    if (seen.has(option) && !option.repeated) return refuse(`${name} is given twice`)
    seen.add(option)
    afterSwitch = option.accepts === undefined
    if (option.accepts === undefined) {
      if (given !== undefined) return refuse(`${name} takes no value, but was given ${quoted(given)}`)
      continue
    }
    const next = given ?? before[++index]
    if (option === logLevel) level = next
    else if (given === undefined && next !== undefined) marked.push(next)
    if (given === undefined && next !== undefined && /^-\D/.test(next)) {
      return refuse(
        `${name} needs a value; one that begins with a dash is written ${option.names.at(-1)}=${next.slice(0, 80)}`
      )
    }
    const problem = unfit(name, option.accepts, next)
    if (problem !== undefined) return refuse(problem)
  }
  return Either.right({ words: [...marked, ...literals], ...(level === undefined ? {} : { logLevel: level }) })
}
