import * as Either from "effect/Either"
import type { AndOr, Command, CommandNode, Pipeline, Redirection, Statement, Word } from "unbash"
import { ask, type Verdict } from "../Verdict.ts"
import { type Literal, literal } from "./Literal.ts"
import type { Source } from "./Source.ts"
import { excerpt } from "./VisibleText.ts"

/** A simple command all of whose words are literal. */
export interface PlainCommand {
  readonly name: string
  readonly args: ReadonlyArray<Literal>
  /** Files that are its standard input. */
  readonly inputs: ReadonlyArray<Literal>
  /** First in its list of `&&` and `||`. */
  readonly first: boolean
  /** Runs only if all before it in its list succeeded. */
  readonly chained: boolean
  /** Runs in a shell of its own, as part of a pipe. */
  readonly piped: boolean
}

const maximumWords = 256

const controlFlow: Partial<Record<CommandNode["type"], string>> = {
  Function: "It defines a function, which can take the place of any command.",
  Coproc: "It starts a coprocess.",
  Subshell: "It runs commands in a subshell.",
  TestCommand: "`[[ … ]]` can evaluate what it compares.",
  ArithmeticCommand: "`(( … ))` can evaluate what it computes."
}

/** Redirections that neither read nor write a file. */
const harmlessRedirect = /^(?:[012]?(?:>>?|<)|&>>?)[ \t]*\/dev\/null$|^[012]?(?:>&|<&)[012]$/
/** All that may stand between two plain commands, and before the first and after the last. */
const separator = /^(?:[ \t\n]|&&|\|\|?|;|(?<=[ \t\n;|&])#[^\n]*(?=\n|$))*$/
const blank = /^[ \t]*$/

/**
 * The commands of a text that is a list of plain commands and nothing else, or why it is not. Every character of the
 * text is accounted for, so that a mistake of the parser makes a text ask, not run.
 */
export const plainCommands = (source: Source): Either.Either<ReadonlyArray<PlainCommand>, Verdict> => {
  if (source.error !== undefined) {
    return Either.left(ask("shell/syntax", `It is not valid shell syntax: ${source.error}.`))
  }
  const reader = new Reader(source.text)
  const refused = reader.statements(source.script.commands)
  if (refused !== undefined) return Either.left(refused)
  if (reader.commands.length === 0) return Either.left(ask("shell/empty", "It holds no command."))
  return Either.right(reader.commands)
}

/** What a redirection does, in words. */
const redirection = (part: Redirection, text: string): Verdict => {
  const quoted = excerpt(text)
  if (part.type !== "Redirect") return ask("shell/redirect", `Feeds a text to a command (${quoted}).`)
  const target = part.target === undefined ? "a file" : excerpt(part.target.text).slice(1, -1)
  if (/^(?:>|>\||&>)$/.test(part.operator)) return ask("shell/redirect", `Writes to ${target} (${quoted}).`)
  if (/^(?:>>|&>>)$/.test(part.operator)) return ask("shell/redirect", `Appends to ${target} (${quoted}).`)
  if (part.operator === "<") return ask("shell/redirect", `Reads ${target} (${quoted}).`)
  if (part.operator === "<>") return ask("shell/redirect", `Reads and writes ${target} (${quoted}).`)
  return ask("shell/redirect", `Redirects to ${target} (${quoted}).`)
}

const unclear = ask("shell/syntax", "It holds text whose part in it is not clear.")

class Reader {
  readonly commands: Array<PlainCommand> = []
  readonly #text: string
  #accounted = 0
  #words = 0

  constructor(text: string) {
    this.#text = text
  }

  statements(statements: ReadonlyArray<Statement>): Verdict | undefined {
    for (const statement of statements) {
      if (statement.background === true)
        return ask("shell/background", "It leaves a command running in the background.")
      const refused = this.#list(statement.command)
      if (refused !== undefined) return refused
    }
    return this.#separates(this.#text.length) ? undefined : unclear
  }

  #list(node: AndOr | Pipeline | CommandNode): Verdict | undefined {
    if (node.type !== "AndOr") return this.#pipeline(node, true, true)
    let chained = true
    for (const [index, command] of node.commands.entries()) {
      chained &&= index === 0 || node.operators[index - 1] === "&&"
      const refused = this.#pipeline(command, index === 0, chained)
      if (refused !== undefined) return refused
    }
    return undefined
  }

  #pipeline(node: Pipeline | CommandNode, first: boolean, chained: boolean): Verdict | undefined {
    if (node.type !== "Pipeline") return this.#command(node, { first, chained, piped: false })
    if (node.prefixes.length > 0) return ask("shell/control-flow", "`time` and `!` change how a command runs.")
    if (node.operators.some((operator) => operator !== "|")) {
      return ask("shell/control-flow", "Only the pipe `|` is read; `|&` is not.")
    }
    for (const [index, command] of node.commands.entries()) {
      const refused = this.#command(command, { first: first && index === 0, chained, piped: node.commands.length > 1 })
      if (refused !== undefined) return refused
    }
    return undefined
  }

  #command(node: CommandNode, place: Omit<PlainCommand, "name" | "args" | "inputs">): Verdict | undefined {
    if (node.type !== "Command") {
      return ask(
        "shell/control-flow",
        controlFlow[node.type] ?? "It holds control flow, which only a person can judge."
      )
    }
    const assigned = [...node.prefix, ...node.suffix].find((part) => part.type === "Assignment")
    if (assigned !== undefined) {
      return ask("shell/assignment", `${excerpt(assigned.text)} sets a variable, which can change what a command does.`)
    }
    return this.#simple(node, place)
  }

  #simple(node: Command, place: Omit<PlainCommand, "name" | "args" | "inputs">): Verdict | undefined {
    const words: Array<Literal> = []
    const inputs: Array<Literal> = []
    const parts = [...node.prefix, ...(node.name === undefined ? [] : [node.name]), ...node.suffix]
    for (const [index, part] of parts.entries()) {
      if (part.type === "Assignment" || !(index === 0 ? this.#separates(part.pos) : this.#follows(part))) return unclear
      this.#accounted = part.end
      if (part.type !== "Word") {
        const text = this.#text.slice(part.pos, part.end)
        if (part.type === "Redirect" && harmlessRedirect.test(text)) continue
        const input = this.#input(part)
        if (input === undefined) return redirection(part, text)
        inputs.push(input)
        continue
      }
      const word = literal(part.text)
      const agreed =
        part.text === this.#text.slice(part.pos, part.end) && (word?.glob === true || word?.value === part.value)
      if (word === undefined || !agreed) {
        return ask("shell/expansion", `What ${excerpt(part.text)} stands for is known only when it runs.`)
      }
      if (++this.#words > maximumWords) return ask("shell/too-complex", `It has more than ${maximumWords} words.`)
      words.push(word)
    }
    const [name, ...args] = words
    if (name === undefined) return ask("shell/redirect", "It redirects without a command.")
    if (!name.bare || name.glob || name.tilde) {
      return ask("shell/expansion", `The name of the command ${excerpt(name.value)} is written in a way that hides it.`)
    }
    this.commands.push({ name: name.value, args, inputs, ...place })
    return undefined
  }

  /** The file that `< file` feeds to a command; `undefined` if it is not that or not known. */
  #input(part: Redirection): Literal | undefined {
    if (part.type !== "Redirect" || part.operator !== "<" || part.target === undefined) return undefined
    const { end, pos } = part.target
    if (!/^0?<[ \t]*$/.test(this.#text.slice(part.pos, pos)) || end !== part.end) return undefined
    const word = literal(this.#text.slice(pos, end))
    return word === undefined || word.glob || (!word.tilde && word.value !== part.target.value) ? undefined : word
  }

  #follows(part: Word | Redirection): boolean {
    const gap = this.#text.slice(this.#accounted, part.pos)
    return blank.test(gap) && (gap !== "" || part.type === "Redirect")
  }

  /** Whether what stands before `end` ends the last command; nothing need end before the first. */
  #separates(end: number): boolean {
    const gap = this.#text.slice(this.#accounted, end)
    if (this.#accounted === 0) return separator.test(`\n${gap}`) && !/^[^#]*[;|&]/.test(gap)
    return separator.test(gap) && (end === this.#text.length || /[\n;|&]/.test(gap))
  }
}
