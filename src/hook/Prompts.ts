import { type Input, opensPrompt, promptsIn } from "../policy/shell/Interactive.ts"
import { commandName, commandStarts, innerTexts } from "../policy/shell/Wrappers.ts"
import { typed } from "../text/ShellWord.ts"
import { composed } from "./Composed.ts"
import { opensOwn } from "./ProjectPrompts.ts"

type Words = ReadonlyArray<string>

/** Shell texts in shell texts that are looked into. */
const maximumDepth = 4

/** Programs that run what their words name, as words of their own. */
const handedOn = (name: string, args: Words): Words | undefined => {
  if (name === "docker" || name === "podman") return args.includes("compose") ? composed(args) : undefined
  if (name === "docker-compose" || name === "podman-compose") return composed(args)
  if (!/^(?:yarn|pnpm|composer)$/.test(name)) return undefined
  const inner = args.slice(args[0] === "exec" ? 1 : 0).filter((arg) => arg !== "--")
  return inner.length > 0 ? inner : undefined
}

const opensAt = ([program = "", ...args]: Words, depth: number): boolean => {
  const name = commandName(program)
  if (args.length === 1 && /^--?(?:version|help|[Vvh])$/.test(args[0] ?? "")) return false
  const inner = handedOn(name, args)
  return (
    opensOwn(program, args) ||
    innerTexts(name, args).some((text) => promptsWithin(text, depth + 1).length > 0) ||
    (inner !== undefined &&
      (inner.length === 0 || promptsWithin(inner.map((word) => typed(word)).join(" "), depth + 1).length > 0))
  )
}

const feedsAt = ([program = "", ...args]: Words, depth: number): boolean =>
  innerTexts(commandName(program), args).some((inner) => promptsWithin(inner, depth + 1, "fed").length > 0)

const promptsWithin = (text: string, depth: number, wanted: Input = "typed"): Words => {
  if (depth > maximumDepth) return []
  const somewhere = (words: Words, opens: (words: Words, depth: number) => boolean): boolean =>
    commandStarts(words).some((start) => opens(words.slice(start), depth))
  return promptsIn(
    text,
    (words, input) =>
      (input === wanted && (opensPrompt(words) || somewhere(words, opensAt))) ||
      (wanted === "fed" && somewhere(words, feedsAt))
  )
}

/**
 * The commands of a shell text that open a prompt and take what they run from such an input, as they are written: those of any
 * shell text, and those by which a program that is left to the agent, such as one of the project, opens one.
 */
export const promptsOf = (text: string, input: Input): Words => promptsWithin(text, 0, input)
