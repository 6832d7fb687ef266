import { forEachChild, type SyntaxNode } from "unbash"
import { argumentsOf, valuesOf } from "../policy/shell/CommandWords.ts"
import { promptsIn } from "../policy/shell/Interactive.ts"
import { isTooComplex, isTooLong, read } from "../policy/shell/Source.ts"
import { commandName, commandStarts, innerTexts } from "../policy/shell/Wrappers.ts"
import { typed } from "../text/ShellWord.ts"
import { composed } from "./Composed.ts"
import { opensOwn } from "./ProjectPrompts.ts"

type Words = ReadonlyArray<string>

/** Shell texts in shell texts that are looked into. */
const maximumDepth = 4

const maximumNodes = 1024

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

const promptsWithin = (text: string, depth: number): Words => {
  if (depth > maximumDepth || isTooLong(text) || isTooComplex(text)) return []
  const found: Array<string> = [...promptsIn(text)]
  let seen = 0
  const visit = (node: SyntaxNode, fed: boolean): void => {
    if (++seen > maximumNodes) return
    if (node.type === "Pipeline") return node.commands.forEach((one, index) => visit(one, fed || index > 0))
    if (node.type === "Command") {
      const isFed = fed || node.redirects.some(({ operator }) => operator.startsWith("<"))
      const words = valuesOf(argumentsOf(node))
      if (!isFed && commandStarts(words).some((start) => opensAt(words.slice(start), depth)))
        found.push(text.slice(node.pos, node.end))
    }
    forEachChild(node, (child) => visit(child, fed))
  }
  visit(read(text).script, false)
  return found
}

/**
 * The commands of a shell text that open a prompt, as they are written: those of any shell text, and those by which a program that
 * is left to the agent, such as one of the project, opens one.
 */
export const promptsOf = (text: string): Words => promptsWithin(text, 0)
