import * as Command from "@effect/cli/Command"
import { type Known, optionsOf } from "./commandLine.ts"
import type { CommandTree } from "./Help.ts"

/** Options that every command takes and the usage of none names. */
const everywhere: ReadonlyArray<string> = ["--help", "-h", "--log-level", "--completions", "--version"]

/**
 * The words of a command line with the parameters of a tool, which `tollgate tool NAME` takes as options of their own names, as
 * `--param NAME=VALUE`. An option of the command keeps its meaning.
 */
export const spoken = (tree: CommandTree, words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const command = tree.below?.["tool"]
  if (command === undefined || words[0] !== "tool") return words
  const known: ReadonlyArray<Known> = optionsOf(Command.getUsage(command.command))
  const end = words.indexOf("--")
  const before = end < 0 ? words : words.slice(0, end)
  const found: Array<string> = []
  for (let index = 0; index < before.length; index++) {
    const word = before[index] ?? ""
    const [, name = "", value] = /^(--[A-Za-z][^=]*)(?:=(.*))?$/s.exec(word) ?? []
    const option = known.find(({ names }) => names.includes(name === "" ? word : name))
    const isOwn = name === "" || option !== undefined || everywhere.includes(name)
    if (isOwn) {
      found.push(word)
      const next = before[index + 1]
      if (option?.accepts !== undefined && value === undefined && next !== undefined) {
        found.push(next)
        index++
      }
      continue
    }
    const next = before[index + 1]
    const follows = value === undefined && next !== undefined && !/^-\D/.test(next)
    if (follows) index++
    found.push("--param", `${name.slice(2)}=${value ?? (follows ? next : "true")}`)
  }
  return [...found, ...(end < 0 ? [] : words.slice(end))]
}
