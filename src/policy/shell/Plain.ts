import * as Either from "effect/Either"
import type {
  AndOr,
  BraceGroup,
  Command,
  CommandNode,
  CompoundList,
  For,
  If,
  Pipeline,
  Redirected,
  Redirection,
  Statement,
  Subshell,
  TestCommand
} from "unbash"
import { ask, type Verdict } from "../Verdict.ts"
import { Accounts } from "./Accounts.ts"
import { isHarmlessAssignment } from "./HarmlessVariables.ts"
import { behind, closing, groups, isLoopVariable, notAnalysed } from "./ControlFlow.ts"
import type { Literal } from "./Literal.ts"
import type { Place, PlainCommand } from "./PlainCommand.ts"
import { background, continued, isHarmless, isQuiet, redirection } from "./PlainRedirects.ts"
import { PlainWords, type Variables } from "./PlainWords.ts"
import type { Source } from "./Source.ts"
import { excerpt } from "../../text/excerpt.ts"

const maximumWords = 256

/**
 * The commands of a text that is a list of plain commands and nothing else, or why it is not. Every character of the
 * text is accounted for, so that a mistake of the parser makes a text ask, not run. With `variables`, the words that hold one are
 * known, groups and conditions stand for all of their commands, and a loop over words for its commands, once for each word; a
 * pattern stands for what it matches.
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

const unclear = ask("shell/syntax", "Part of the command is not understood.")

class Reader {
  readonly commands: Array<PlainCommand> = []
  readonly #text: string
  readonly #variables: Variables | undefined
  readonly #accounts: Accounts
  readonly #plainWords: PlainWords
  #words = 0

  constructor(text: string, variables: Variables | undefined) {
    this.#text = text
    this.#plainWords = new PlainWords(text, variables)
    this.#accounts = new Accounts(text)
    this.#variables = variables
  }

  read(statements: ReadonlyArray<Statement>): Verdict | undefined {
    const refused = this.#statements(statements)
    if (refused !== undefined) return refused
    if (this.#plainWords.usesDirectory && this.commands.some(({ name }) => name === "cd"))
      return ask("shell/expansion", "`$PWD` changes with `cd`; write out the directory.")
    return this.#accounts.separates(this.#text.length) ? undefined : unclear
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
      // Where more than a command has gone is known less well than where a command has.
      chained &&= command.type === "Command" || (command.type === "Pipeline" && command.prefixes.length === 0)
    }
    return undefined
  }

  #pipeline(node: Pipeline | CommandNode, first: boolean, chained: boolean): Verdict | undefined {
    if (node.type !== "Pipeline") return this.#command(node, { first, chained, piped: false, fed: false })
    if (node.prefixes.length > 0 && !this.#prefixed(node))
      return ask("shell/control-flow", "`time` and `!` change how a command runs.")
    if (node.operators.some((operator) => operator !== "|"))
      return ask("shell/control-flow", "Uses `|&`; only `|` is analysed.")
    const surely = chained && node.prefixes.length === 0
    for (const [index, command] of node.commands.entries()) {
      const refused = this.#command(command, {
        first: first && index === 0,
        chained: surely,
        piped: node.commands.length > 1,
        fed: node.commands[index - 1]?.type === "Command"
      })
      if (refused !== undefined) return refused
    }
    return undefined
  }

  /**
   * Whether nothing but `!`, and `time` before a simple command, stands before a pipe: where that is a program, it starts others,
   * and takes an assignment for the name of one.
   */
  #prefixed({ commands: [start], prefixes: [first] }: Pipeline): boolean {
    if (this.#variables === undefined || first === undefined || start === undefined) return false
    const form = start.type === "Command" && start.prefix.length === 0 ? /^(?:(?:time|!)[ \t]+)+$/ : /^(?:![ \t]+)+$/
    if (!this.#accounts.separates(first.pos) || !this.#accounts.between(first.pos, start.pos, form)) return false
    this.#accounts.open(start.pos)
    return true
  }

  #command(node: CommandNode, place: Place): Verdict | undefined {
    if (node.type === "Command") {
      const early = background(node)
      if (early?.isAll === false) return continued
      return this.#simple(node, early === undefined ? place : { ...place, chained: false })
    }
    if (this.#variables !== undefined) {
      if (node.type === "For") return this.#for(node, place)
      if (node.type === "If") return this.#if(node, place)
      if (node.type === "Subshell" || node.type === "BraceGroup") return this.#group(node, place)
      if (node.type === "TestCommand") return this.#test(node, place)
      if (node.type === "Redirected") return this.#redirected(node, place)
    }
    return notAnalysed(node.type)
  }

  #group({ body, end, pos, type }: Subshell | BraceGroup, place: Place): Verdict | undefined {
    if (!this.#accounts.separates(pos)) return unclear
    this.#accounts.reach(pos)
    const [opening, closes] = groups[type]
    return this.#block(opening, body, place) ?? (this.#accounts.closes(end, closes) ? undefined : unclear)
  }

  /** All that may run, whatever the conditions come to. */
  #if({ clause, elif, else: otherwise, end, pos, then }: If, place: Place): Verdict | undefined {
    if (!this.#accounts.separates(pos)) return unclear
    this.#accounts.reach(pos)
    const blocks: ReadonlyArray<readonly [RegExp, CompoundList]> = [
      [/^if[ \t\n]+$/, clause],
      [behind("then"), then],
      ...elif.flatMap((one) => [[behind("elif"), one.clause] as const, [behind("then"), one.then] as const]),
      ...(otherwise === undefined ? [] : [[behind("else"), otherwise] as const])
    ]
    for (const [opening, body] of blocks) {
      const refused = this.#block(opening, body, place)
      if (refused !== undefined) return refused
    }
    return this.#accounts.closes(end, closing("fi")) ? undefined : unclear
  }

  #block(opening: RegExp, body: CompoundList, place: Place): Verdict | undefined {
    const [start] = body.commands
    if (start === undefined || !this.#accounts.closes(start.pos, opening)) return unclear
    this.#accounts.open(start.pos)
    return this.#body(body.commands, place)
  }

  /** `[[ -f x ]]`, as the command that tests the same. */
  #test({ end, expression, pos }: TestCommand, place: Place): Verdict | undefined {
    if (expression.type !== "TestUnary" || !this.#accounts.separates(pos)) return notAnalysed("TestCommand")
    const { operand, operator } = expression
    const word = this.#plainWords.read(operand)
    const isWhole =
      this.#accounts.between(pos, operand.pos, /^\[\[[ \t]+-[a-zA-Z][ \t]+$/) &&
      this.#accounts.between(operand.end, end, /^[ \t]+\]\]$/)
    if (word === undefined || !isWhole) return notAnalysed("TestCommand")
    this.#accounts.reach(end)
    const option: Literal = { value: operator, bare: true, glob: false, tilde: false }
    this.commands.push({ name: "test", args: [option, word], inputs: [], direct: true, ...place })
    return undefined
  }

  /** A group, a condition or a loop none of whose redirections reads or writes a file. */
  #redirected({ command, redirects }: Redirected, place: Place): Verdict | undefined {
    const refused = this.#command(command, place)
    if (refused !== undefined) return refused
    for (const part of redirects) {
      const text = this.#text.slice(part.pos, part.end)
      if (!this.#accounts.follows(part.pos, false)) return unclear
      if (part.type !== "Redirect" || !isHarmless(text)) return redirection(part, text)
      this.#accounts.reach(part.end)
    }
    return undefined
  }

  /** The body for each word in turn; what surrounds the words and the body is accounted for. */
  #for(node: For, place: Place): Verdict | undefined {
    const { body, name, wordlist = [] } = node
    if (this.#plainWords.loop !== undefined)
      return ask("shell/control-flow", "Contains a loop within a loop, which is not analysed.")
    if (!isLoopVariable(name.text))
      return ask(
        "shell/control-flow",
        `The loop variable ${excerpt(name.text)} may have a special meaning; use a short lowercase name.`
      )
    const [start] = body.commands
    if (start === undefined || wordlist.length === 0 || !this.#accounts.separates(node.pos)) return unclear
    if (!this.#accounts.between(node.pos, name.pos, /^for[ \t]+$/)) return unclear
    const words: Array<Literal> = []
    let at = name.end
    for (const [index, part] of wordlist.entries()) {
      if (!this.#accounts.between(at, part.pos, index === 0 ? /^[ \t]+in[ \t]+$/ : /^[ \t]+$/)) return unclear
      const word = this.#plainWords.read(part)
      if (word === undefined || word.tilde)
        return ask("shell/expansion", `The value of ${excerpt(part.text)} is known only at run time.`)
      words.push(word)
      at = part.end
    }
    if (!this.#accounts.between(at, start.pos, /^[ \t]*(?:;|\n)[ \t\n]*do[ \t\n]+$/)) return unclear
    const before = this.commands.length
    for (const word of words) {
      this.#plainWords.loop = { name: name.text, word }
      this.#accounts.open(start.pos)
      const refused = this.#body(body.commands, place)
      if (refused !== undefined) return refused
    }
    this.#plainWords.loop = undefined
    if (words.some(({ glob }) => glob) && this.commands.slice(before).some(({ name }) => name === "cd"))
      return ask("shell/control-flow", "Changes its directory in a loop over a pattern; the next round runs elsewhere.")
    return this.#accounts.closes(node.end, closing("done")) ? undefined : unclear
  }

  #body(statements: ReadonlyArray<Statement>, { piped }: Place): Verdict | undefined {
    const before = this.commands.length
    const refused = this.#statements(statements)
    if (piped) {
      for (const [index, command] of this.commands.entries()) {
        if (index >= before) this.commands[index] = { ...command, piped }
      }
    }
    return refused
  }

  #simple(node: Command, place: Place): Verdict | undefined {
    const words: Array<Literal> = []
    const inputs: Array<Literal> = []
    let direct = true
    const parts = [...node.prefix, ...(node.name === undefined ? [] : [node.name]), ...node.suffix]
    for (const [index, part] of parts.entries()) {
      const text = this.#text.slice(part.pos, part.end)
      if (
        part.type === "Assignment" &&
        (this.#variables === undefined || words.length > 0 || !isHarmlessAssignment(text))
      )
        return ask("shell/assignment", `${excerpt(text)} sets a variable, which can change what a command does.`)
      const isApart = part.type === "Word" || part.type === "Assignment"
      if (!(index === 0 ? this.#accounts.separates(part.pos) : this.#accounts.follows(part.pos, isApart)))
        return unclear
      this.#accounts.reach(part.end)
      if (part.type === "Assignment") continue
      if (part.type !== "Word") {
        direct &&= isQuiet(text)
        if (part.type === "Redirect" && isHarmless(text)) continue
        const input = this.#input(part)
        if (input === undefined) return redirection(part, text)
        inputs.push(input)
        continue
      }
      const isPrinted = /^(?:echo|printf)$/.test(words[0]?.value ?? "")
      const word = this.#plainWords.read(part, isPrinted)
      if (word === undefined)
        return ask("shell/expansion", `The value of ${excerpt(part.text)} is known only at run time.`)
      if (++this.#words > maximumWords) return ask("shell/too-complex", `Contains more than ${maximumWords} words.`)
      words.push(word)
    }
    const [name, ...args] = words
    if (name === undefined) return ask("shell/redirect", "Has no command that would run.")
    if (!name.bare || name.glob || name.tilde) {
      return ask("shell/expansion", `The command name ${excerpt(name.value)} is quoted or expanded; write it plainly.`)
    }
    this.commands.push({ name: name.value, args, inputs, direct, ...place })
    return undefined
  }

  /** The file that `< file` feeds to a command; `undefined` if it is not that or not known. */
  #input(part: Redirection): Literal | undefined {
    if (part.type !== "Redirect" || part.operator !== "<" || part.target === undefined) return undefined
    const { end, pos } = part.target
    if (!/^0?<[ \t]*$/.test(this.#text.slice(part.pos, pos)) || end !== part.end) return undefined
    const word = this.#plainWords.read(part.target)
    return word === undefined || word.glob || part.target.end !== end ? undefined : word
  }
}
