import {
  forEachChild,
  type AndOr,
  type Command,
  type Pipeline,
  type Redirection,
  type Statement,
  type SyntaxNode
} from "unbash"
import { typed } from "../../text/ShellWord.ts"
import { argumentsOf } from "./CommandWords.ts"
import { literal } from "./Literal.ts"
import { isTooComplex, isTooLong, read } from "./Source.ts"
import { firstUnseen } from "../../text/excerpt.ts"

type Words = ReadonlyArray<string>

/** The meaning of a shell text, independent of blanks and quotes; grants and rules compare it. */
export interface Shape {
  /** The same for two texts only if they have the same words, operators, redirects and structure in the same order. */
  readonly form: string
  /** The simple commands in it, wherever they stand, as far as their words are known. */
  readonly commands: ReadonlyArray<Words>
  /** What their redirects name, as far as `commands` are complete. */
  readonly redirects: ReadonlyArray<string>
  /** `commands` is everything that runs, each word known before it runs. */
  readonly complete: boolean
  /** Commands one after the other, with nothing but `;`, `&&` and `||` between them: no pipe, redirect or background. */
  readonly isList: boolean
  /** As it could be typed on one line; the text itself where it is not complete. */
  readonly text: string
}

interface Leaf {
  readonly pos: number
  readonly end: number
  readonly part: "word" | "redirect"
  readonly value: string
  /** What a redirect names. */
  readonly target?: string
}

/** What stands between two commands, by its name. */
const operators: ReadonlyArray<readonly [RegExp, string]> = [
  [/^[ \t]*&&[ \t\n]*$/, "&&"],
  [/^[ \t]*\|\|[ \t\n]*$/, "||"],
  [/^[ \t]*\|[ \t\n]*$/, "|"],
  [/^[ \t]*\|&[ \t\n]*$/, "|&"],
  [/^[ \t]*&[ \t\n]*$/, "&"],
  [/^[ \t]*(?:;|\n)[ \t\n]*$/, ";"]
]

const blank = /^[ \t]*$/
/** What may follow the last command. */
const ending = /^[ \t]*(?<background>&?)[ \t\n]*$|^[ \t]*;[ \t\n]*$/

/** What a redirect says without its blanks, e.g. `2>>out.txt`, and what it names. */
const redirected = (redirect: Redirection, source: string): Pick<Leaf, "value" | "target"> | undefined => {
  if (redirect.type !== "Redirect" || redirect.target === undefined) return undefined
  const { descriptor, end, operator, pos, target } = redirect
  if (descriptor !== undefined && descriptor.type !== "FileDescriptor") return undefined
  const word = literal(target.text)
  if (word === undefined || word.glob || word.tilde || word.value !== target.value) return undefined
  const start = `${descriptor?.value ?? ""}${operator}`
  const written = source.slice(pos, end)
  if (!written.startsWith(start) || !blank.test(written.slice(start.length, written.length - target.text.length)))
    return
  return { value: JSON.stringify([descriptor?.value ?? "", operator, word.value]), target: word.value }
}

/** Reads a list of simple commands; every character must be accounted for, which catches parser mistakes. */
class Reader {
  readonly commands: Array<Words> = []
  readonly redirects: Array<string> = []
  readonly shown: Array<string> = []
  isList = true
  readonly #text: string
  readonly #form: Array<unknown> = []
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** The form of the whole text; unset if it is more than such a list. */
  read(statements: ReadonlyArray<Statement>): string | undefined {
    let between = ";"
    for (const statement of statements) {
      if (!this.#list(statement.command, between)) return undefined
      between = statement.background === true ? "&" : ";"
    }
    const end = ending.exec(this.#text.slice(this.#at))
    if (end === null || this.commands.length === 0 || (end.groups?.["background"] === "&") !== (between === "&")) return
    if (between === "&") this.#operator(between)
    return JSON.stringify(this.#form)
  }

  #operator(name: string): void {
    if (!["&&", "||", ";"].includes(name)) this.isList = false
    this.#form.push(name)
    this.shown.push(name)
  }

  #list(node: Statement["command"], between: string): boolean {
    if (node.type !== "AndOr") return this.#pipeline(node, between)
    return node.commands.every((command, index) =>
      this.#pipeline(command, index === 0 ? between : (node.operators[index - 1] ?? ""))
    )
  }

  #pipeline(node: AndOr["commands"][number], between: string): boolean {
    if (node.type !== "Pipeline") return this.#command(node, between)
    if (node.prefixes.length > 0) return false
    return node.commands.every((command, index) =>
      this.#command(command, index === 0 ? between : (node.operators[index - 1] ?? ""))
    )
  }

  #command(node: Pipeline["commands"][number], between: string): boolean {
    if (node.type !== "Command" || node.name === undefined) return false
    const leaves = this.#leaves(node)
    const [first] = leaves
    if (first === undefined) return false
    const gap = this.#text.slice(this.#at, first.pos)
    if (this.commands.length === 0) {
      if (!/^[ \t\n]*$/.test(gap)) return false
    } else {
      if (!operators.some(([pattern, name]) => name === between && pattern.test(gap))) return false
      this.#operator(between)
    }
    for (const [index, leaf] of leaves.entries()) {
      const before = leaves[index - 1]
      if (before === undefined) continue
      const space = this.#text.slice(before.end, leaf.pos)
      if (!blank.test(space) || (space === "" && leaf.part === "word" && before.part === "word")) return false
    }
    this.#at = leaves.at(-1)?.end ?? this.#at
    const words = leaves.filter(({ part }) => part === "word").map(({ value }) => value)
    const redirects = leaves.filter(({ part }) => part === "redirect").map(({ value }) => value)
    if (redirects.length > 0) this.isList = false
    this.commands.push(words)
    this.redirects.push(...leaves.flatMap(({ target }) => target ?? []))
    this.#form.push([words, redirects])
    const written = leaves.filter(({ part }) => part === "redirect").map(({ end, pos }) => this.#text.slice(pos, end))
    this.shown.push([commandLine(words), ...written].join(" "))
    return true
  }

  /** The words and redirects of a command in their order; none where one of them is not known. */
  #leaves(node: Command): ReadonlyArray<Leaf> {
    const found: Array<Leaf> = []
    for (const part of [...node.prefix, ...(node.name === undefined ? [] : [node.name]), ...node.suffix]) {
      const { end, pos } = part
      if (part.type === "Assignment") return []
      if (part.type === "Word") {
        const word = literal(part.text)
        if (word === undefined || word.glob || word.tilde || word.value !== part.value) return []
        if (part.text !== this.#text.slice(pos, end)) return []
        // A quoted name is another thing to the shell, e.g. no keyword and no alias.
        if (part === node.name && !word.bare) return []
        found.push({ pos, end, part: "word", value: word.value })
      } else {
        const said = redirected(part, this.#text)
        if (said === undefined) return []
        found.push({ pos, end, part: "redirect", ...said })
      }
    }
    return found
  }
}

/** A command as it could be typed. */
export const commandLine = (command: Words): string => command.map(typed).join(" ")

/** Nodes that are looked at for commands in a text that is more than a list. */
const maximumNodes = 4000

/** The commands whose words are all literal, at any depth. */
const literalCommands = (root: SyntaxNode): ReadonlyArray<Words> => {
  const found: Array<Words> = []
  const open: Array<SyntaxNode> = [root]
  for (let seen = 0; open.length > 0 && seen < maximumNodes; seen++) {
    const node = open.pop()!
    if (node.type === "Command") {
      const words = argumentsOf(node).map(({ text }) => literal(text)?.value)
      const known = words.findIndex((word) => word === undefined)
      const start = words.slice(0, known === -1 ? words.length : known).filter((word) => word !== undefined)
      if (start.length > 0) found.push(start)
    }
    forEachChild(node, (child) => void open.push(child))
  }
  return found.toReversed()
}

/** A text that cannot be parsed equals only itself. */
const unread = (text: string, commands: ReadonlyArray<Words> = []): Shape => ({
  form: JSON.stringify({ text }),
  commands,
  redirects: [],
  complete: false,
  isList: false,
  text
})

/** What a text says. It never throws; a text that it cannot read is the same as itself and as no other. */
export const shapeOf = (text: string): Shape => {
  if (isTooLong(text) || isTooComplex(text) || firstUnseen(text) !== undefined) return unread(text)
  try {
    const { error, script } = read(text)
    if (error !== undefined) return unread(text)
    const reader = new Reader(text)
    const form = reader.read(script.commands)
    if (form === undefined) return unread(text, literalCommands(script))
    const { commands, isList, redirects, shown } = reader
    return { form, commands, redirects, complete: true, isList, text: shown.join(" ") }
  } catch {
    return unread(text)
  }
}
