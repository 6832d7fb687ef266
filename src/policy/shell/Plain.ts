import * as Either from "effect/Either"
import type { AndOr, Command, CommandNode, For, Pipeline, Redirection, Statement, Word } from "unbash"
import { ask, type Verdict } from "../Verdict.ts"
import { type Literal, literal, type Lookup } from "./Literal.ts"
import type { Source } from "./Source.ts"
import { excerpt } from "../../text/excerpt.ts"

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

/** The values of environment variables, which no text may change. */
export type Variables = Readonly<Record<string, string>>

/** Names that neither the shell nor a program gives a meaning to. */
const loopVariable = /^[a-z][a-z0-9]{0,11}$/
/** Values that the shell does not split or expand outside of quotes. */
const unsplit = /^[\w\-./,+%@^:=]+$/
/** A variable in quotes that is all of a word, or all but `./`. */
const wholeVariable = /^"(?<prefix>(?:\.\/)?)\$(?:(?<name>\w+)|\{(?<braced>\w+)\})"$/
const asWritten: Lookup = (_, written) => written

const controlFlow: Partial<Record<CommandNode["type"], string>> = {
  Function: "Defines a function, which can replace any command.",
  Coproc: "Starts a coprocess.",
  Subshell: "Runs commands in a subshell.",
  TestCommand: "`[[ … ]]` can run code in what it compares.",
  ArithmeticCommand: "`(( … ))` can run code in what it computes."
}

/** Redirections that neither read nor write a file. */
const harmlessRedirect = /^(?:[012]?(?:>>?|<)|&>>?)[ \t]*\/dev\/null$|^[012]?(?:>&|<&)[012]$/
/** Everything allowed between two plain commands, before the first and after the last. */
const separator = /^(?:[ \t\n]|&&|\|\|?|;|(?<=[ \t\n;|&])#[^\n]*(?=\n|$))*$/
const blank = /^[ \t]*$/

/**
 * The commands of a text that is a list of plain commands and nothing else, or why it is not. Every character of the
 * text is accounted for, so that a mistake of the parser makes a text ask, not run. With `variables`, the words that hold one are
 * known, and a loop over words stands for its commands, once for each word; a pattern stands for what it matches.
 */
export const plainCommands = (
  source: Source,
  variables?: Variables
): Either.Either<ReadonlyArray<PlainCommand>, Verdict> => {
  if (source.error !== undefined) {
    return Either.left(ask("shell/syntax", `Not valid shell syntax: ${source.error}.`))
  }
  const reader = new Reader(source.text, variables)
  const refused = reader.read(source.script.commands)
  if (refused !== undefined) return Either.left(refused)
  if (reader.commands.length === 0) return Either.left(ask("shell/empty", "Contains no command."))
  return Either.right(reader.commands)
}

/** What a redirection does, in words. */
const redirection = (part: Redirection, text: string): Verdict => {
  const quoted = excerpt(text)
  if (part.type !== "Redirect") return ask("shell/redirect", `Passes text to a command (${quoted}).`)
  const target = part.target === undefined ? "a file" : excerpt(part.target.text).slice(1, -1)
  if (/^(?:>|>\||&>)$/.test(part.operator)) return ask("shell/redirect", `Writes to ${target} (${quoted}).`)
  if (/^(?:>>|&>>)$/.test(part.operator)) return ask("shell/redirect", `Appends to ${target} (${quoted}).`)
  if (part.operator === "<") return ask("shell/redirect", `Reads ${target} (${quoted}).`)
  if (part.operator === "<>") return ask("shell/redirect", `Reads and writes ${target} (${quoted}).`)
  return ask("shell/redirect", `Redirects to ${target} (${quoted}).`)
}

const unclear = ask("shell/syntax", "Part of the command is not understood.")

class Reader {
  readonly commands: Array<PlainCommand> = []
  readonly #text: string
  readonly #variables: Variables | undefined
  #accounted = 0
  #words = 0
  /** The variable of the loop that is read. */
  #loop: { readonly name: string; readonly word: Literal } | undefined
  /** Only blanks may precede the next command. */
  #opened = false
  #usesDirectory = false

  constructor(text: string, variables: Variables | undefined) {
    this.#text = text
    this.#variables = variables
  }

  read(statements: ReadonlyArray<Statement>): Verdict | undefined {
    const refused = this.#statements(statements)
    if (refused !== undefined) return refused
    if (this.#usesDirectory && this.commands.some(({ name }) => name === "cd"))
      return ask("shell/expansion", "`$PWD` changes with `cd`; write out the directory.")
    return this.#separates(this.#text.length) ? undefined : unclear
  }

  #statements(statements: ReadonlyArray<Statement>): Verdict | undefined {
    for (const statement of statements) {
      if (statement.background === true) return ask("shell/background", "Runs a command in the background.")
      const refused = this.#list(statement.command)
      if (refused !== undefined) return refused
    }
    return undefined
  }

  #list(node: AndOr | Pipeline | CommandNode): Verdict | undefined {
    if (node.type !== "AndOr") return this.#pipeline(node, true, true)
    let chained = true
    for (const [index, command] of node.commands.entries()) {
      chained &&= index === 0 || node.operators[index - 1] === "&&"
      const refused = this.#pipeline(command, index === 0, chained)
      if (refused !== undefined) return refused
      // Where a loop has gone is known less well than where a command has.
      chained &&= command.type !== "For"
    }
    return undefined
  }

  #pipeline(node: Pipeline | CommandNode, first: boolean, chained: boolean): Verdict | undefined {
    if (node.type !== "Pipeline") return this.#command(node, { first, chained, piped: false })
    if (node.prefixes.length > 0) return ask("shell/control-flow", "`time` and `!` change how a command runs.")
    if (node.operators.some((operator) => operator !== "|")) {
      return ask("shell/control-flow", "Uses `|&`; only `|` is analysed.")
    }
    for (const [index, command] of node.commands.entries()) {
      const refused = this.#command(command, { first: first && index === 0, chained, piped: node.commands.length > 1 })
      if (refused !== undefined) return refused
    }
    return undefined
  }

  #command(node: CommandNode, place: Omit<PlainCommand, "name" | "args" | "inputs">): Verdict | undefined {
    if (node.type === "For" && this.#variables !== undefined) return this.#for(node, place)
    if (node.type !== "Command") {
      return ask("shell/control-flow", controlFlow[node.type] ?? "Uses control flow, which is not analysed.")
    }
    const assigned = [...node.prefix, ...node.suffix].find((part) => part.type === "Assignment")
    if (assigned !== undefined) {
      return ask("shell/assignment", `${excerpt(assigned.text)} sets a variable, which can change what a command does.`)
    }
    return this.#simple(node, place)
  }

  /** The body for each word in turn; what surrounds the words and the body is accounted for. */
  #for(node: For, place: Omit<PlainCommand, "name" | "args" | "inputs">): Verdict | undefined {
    const { body, name, wordlist = [] } = node
    if (this.#loop !== undefined)
      return ask("shell/control-flow", "Contains a loop within a loop, which is not analysed.")
    if (!loopVariable.test(name.text))
      return ask(
        "shell/control-flow",
        `The loop variable ${excerpt(name.text)} may have a special meaning; use a short lowercase name.`
      )
    const [start] = body.commands
    if (start === undefined || wordlist.length === 0 || !this.#separates(node.pos)) return unclear
    const between = (from: number, to: number, form: RegExp) => form.test(this.#text.slice(from, to))
    if (!between(node.pos, name.pos, /^for[ \t]+$/)) return unclear
    const words: Array<Literal> = []
    let at = name.end
    for (const [index, part] of wordlist.entries()) {
      if (!between(at, part.pos, index === 0 ? /^[ \t]+in[ \t]+$/ : /^[ \t]+$/)) return unclear
      const word = this.#word(part)
      if (word === undefined || word.tilde) {
        return ask("shell/expansion", `The value of ${excerpt(part.text)} is known only at run time.`)
      }
      words.push(word)
      at = part.end
    }
    if (!between(at, start.pos, /^[ \t]*(?:;|\n)[ \t\n]*do[ \t\n]+$/)) return unclear
    for (const word of words) {
      this.#loop = { name: name.text, word }
      this.#accounted = start.pos
      this.#opened = true
      const refused = this.#body(body.commands, place)
      if (refused !== undefined) return refused
    }
    this.#loop = undefined
    if (!between(this.#accounted, node.end, /^[ \t]*(?:;|\n)[ \t\n]*done$/)) return unclear
    this.#accounted = node.end
    return undefined
  }

  #body(
    statements: ReadonlyArray<Statement>,
    { piped }: Omit<PlainCommand, "name" | "args" | "inputs">
  ): Verdict | undefined {
    const before = this.commands.length
    const refused = this.#statements(statements)
    if (piped) {
      for (const [index, command] of this.commands.entries()) {
        if (index >= before) this.commands[index] = { ...command, piped }
      }
    }
    return refused
  }

  /** A word as far as it is known and read as the parser reads it. */
  #word(part: Word): Literal | undefined {
    if (part.text !== this.#text.slice(part.pos, part.end)) return undefined
    const { braced, name, prefix = "" } = wholeVariable.exec(part.text)?.groups ?? {}
    const loop = this.#loop
    if (loop?.word.glob === true && loop.name === (name ?? braced)) {
      return { ...loop.word, bare: false, value: `${prefix}${loop.word.value}` }
    }
    const word = literal(part.text, (...given) => this.#lookup(...given))
    return word?.glob === true || literal(part.text, asWritten)?.value === part.value ? word : undefined
  }

  #lookup(name: string, _: string, quoted: boolean): string | undefined {
    const loop = this.#loop
    const value = loop?.name === name ? (loop.word.glob ? undefined : loop.word.value) : this.#variable(name)
    return value === undefined || !(quoted || unsplit.test(value)) ? undefined : value
  }

  #variable(name: string): string | undefined {
    const variables = this.#variables
    if (variables === undefined || !Object.hasOwn(variables, name)) return undefined
    if (name === "PWD") this.#usesDirectory = true
    return variables[name]
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
      const word = this.#word(part)
      if (word === undefined) {
        return ask("shell/expansion", `The value of ${excerpt(part.text)} is known only at run time.`)
      }
      if (++this.#words > maximumWords) return ask("shell/too-complex", `Contains more than ${maximumWords} words.`)
      words.push(word)
    }
    const [name, ...args] = words
    if (name === undefined) return ask("shell/redirect", "Redirects without a command.")
    if (!name.bare || name.glob || name.tilde) {
      return ask("shell/expansion", `The command name ${excerpt(name.value)} is quoted or expanded; write it plainly.`)
    }
    this.commands.push({ name: name.value, args, inputs, ...place })
    return undefined
  }

  /** The file that `< file` feeds to a command; `undefined` if it is not that or not known. */
  #input(part: Redirection): Literal | undefined {
    if (part.type !== "Redirect" || part.operator !== "<" || part.target === undefined) return undefined
    const { end, pos } = part.target
    if (!/^0?<[ \t]*$/.test(this.#text.slice(part.pos, pos)) || end !== part.end) return undefined
    const word = this.#word(part.target)
    return word === undefined || word.glob || part.target.end !== end ? undefined : word
  }

  #follows(part: Word | Redirection): boolean {
    const gap = this.#text.slice(this.#accounted, part.pos)
    return blank.test(gap) && (gap !== "" || part.type === "Redirect")
  }

  /** Whether what stands before `end` ends the last command; nothing need end before the first. */
  #separates(end: number): boolean {
    const gap = this.#text.slice(this.#accounted, end)
    if (this.#opened) {
      this.#opened = false
      return gap === ""
    }
    if (this.#accounted === 0) return separator.test(`\n${gap}`) && !/^[^#]*[;|&]/.test(gap)
    return separator.test(gap) && (end === this.#text.length || /[\n;|&]/.test(gap))
  }
}
