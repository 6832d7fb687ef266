import * as Command from "@effect/cli/Command"
import * as Either from "effect/Either"
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

/** A line as words; quotes hold one together, and a backslash in double quotes takes what follows as it is. */
export const splitWords = (line: string): Either.Either<ReadonlyArray<string>, string> => {
  const words: Array<string> = []
  const part = /"((?:[^"\\]|\\[^])*)"|'([^']*)'|([^\s"']+)|(\s+)|(["'])/gu
  let word: string | undefined
  for (const [, double, single, plain, blank, open] of line.matchAll(part)) {
    if (open !== undefined) return Either.left(`the ${open} has no end`)
    if (blank !== undefined) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = `${word ?? ""}${double?.replaceAll(/\\([^])/gu, "$1") ?? single ?? plain ?? ""}`
  }
  return Either.right(word === undefined ? words : [...words, word])
}
