import * as path from "node:path"
import * as Jsonc from "../../text/Jsonc.ts"
import { quoted } from "../../text/ShellWord.ts"
import { isData } from "../ForeignCall.ts"

/** What refuses the call where the program ends in another way than by an answer. */
const refusal = `|| sh -c 'echo "Tollgate did not answer; tollgate hook status says why." >&2; exit 2'`

/** What an agent is told to run. */
export const commandOf = (argv: ReadonlyArray<string>): string =>
  `${argv.map((word) => (/^[a-z]+$/.test(word) ? word : quoted(word))).join(" ")} ${refusal}`

/** The words that a command begins with, as a shell reads them, and what follows the last of them. */
const wordsOf = (command: string): { readonly words: ReadonlyArray<string>; readonly rest: string } => {
  const next = /[ \t]*((?:'[^']*'|"[^"$`\\]*"|\\'|[\w@%+=:,./-])+)/y
  const words: Array<string> = []
  let end = 0
  for (let found = next.exec(command); found !== null; found = next.exec(command)) {
    end = next.lastIndex
    words.push((found[1] ?? "").replaceAll(/'([^']*)'|"([^"]*)"|\\'/g, (all, one, two) => one ?? two ?? all.slice(1)))
  }
  return { words, rest: command.slice(end).trim() }
}

const isRuntime = (word: string): boolean =>
  word === process.execPath || /^(?:node(?:js)?|bun)[\d.-]*(?:\.exe)?$/.test(path.basename(word))

/**
 * Whether a command is Tollgate's own: what install writes, by whatever path, or what a person types for it. One that runs anything
 * else as well is the user's.
 */
export const isOwn = (agent: string, command: string): boolean => {
  const { rest, words } = wordsOf(command)
  const start = words[0] === "env" ? words.findIndex((word, at) => at > 0 && !/^[A-Z_][A-Z0-9_]*=/i.test(word)) : 0
  const [name, hook, program, runtime, ...more] = words.slice(start < 0 ? words.length : start).reverse()
  return (
    (rest === "" || rest === refusal) &&
    name === agent &&
    hook === "hook" &&
    program !== undefined &&
    /^tollgate(?:\.[cm]?js)?$/.test(path.basename(program)) &&
    (runtime === undefined || isRuntime(runtime)) &&
    more.length === 0
  )
}

/** Whether a command speaks of the hook of an agent, and may or may not run it. */
export const mentions = (agent: string, command: string): boolean =>
  new RegExp(`\\btollgate(?:\\.[cm]?js)?['"]?\\s+['"]?hook['"]?\\s+['"]?${agent}\\b`).test(command)

const textsOf = (entry: unknown): ReadonlyArray<string> =>
  isData(entry) ? [entry["command"], entry["bash"]].filter((text): text is string => typeof text === "string") : []

/** Whether a part of a settings file is an entry of ours for an agent. */
export const isEntry =
  (agent: string) =>
  (value: unknown): boolean => {
    const texts = textsOf(value)
    return texts.length > 0 && texts.every((text) => isOwn(agent, text))
  }

/** Commands that stand in a file of an agent. */
export interface Commands {
  readonly own: ReadonlyArray<string>
  /** Those that the user or another program wrote. */
  readonly others: ReadonlyArray<string>
}

export const commandsIn = (agent: string, text: string): Commands => {
  const own: Array<string> = []
  const others: Array<string> = []
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return
    const [first] = textsOf(value)
    if (first !== undefined && isEntry(agent)(value)) own.push(first)
    else others.push(...textsOf(value))
    Object.values(value).forEach(visit)
  }
  const node = Jsonc.parse(text)
  if (node !== undefined) visit(Jsonc.valueOf(node))
  return { own, others }
}
