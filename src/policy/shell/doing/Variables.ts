import { type Command, forEachChild, type Script, type SyntaxNode, type Word } from "unbash"
import { expanded } from "../CommandWords.ts"
import { type Literal, literal } from "../Literal.ts"
import { readOnlyCommands } from "../ReadOnlyCommands.ts"
import { computedBy, counting, Numbers, special } from "./Numbers.ts"
import { unknownPart } from "./Step.ts"
import { plain, unknown, unknownWord } from "./Unknown.ts"

/** Whether all braces of a word hold nothing or one thing, so that the shell leaves them as they are. */
const isPaired = (text: string): boolean =>
  /^[\w\-./,+%@^:={}]+$/.test(text) && !/[{}]/.test(text.replaceAll(/\{[\w-]*\}/g, ""))

/** A variable with what zsh takes for a part or a change of it, where other shells take that for text: `$x:h`, `$x[1]`. */
const modified = /\$(?:\w+|[?#@*$!-])(?:\[|:[a-zA-Z&])/

/** Values of a range that are read one by one. */
const maximumRange = 16

/** What `{1..5}` stands for; none where it is another word, or too many. */
const rangeOf = (text: string): ReadonlyArray<Literal> | undefined => {
  const [, from, to] = /^\{(-?\d{1,6})\.\.(-?\d{1,6})\}$/.exec(text) ?? []
  const [first, last] = [Number(from), Number(to)]
  const count = Math.abs(last - first) + 1
  if (from === undefined || /^-?0\d/.test(from) || /^-?0\d/.test(to ?? "") || !(count <= maximumRange)) return undefined
  return Array.from({ length: count }, (_, at) => ({ ...plain, value: String(first + (last < first ? -at : at)) }))
}

/** Whether a word is what a command prints, as a file: `<(sort a)`. */
const isFed = ({ parts = [], text }: Word): boolean =>
  text.startsWith("<(") && parts.length === 1 && parts[0]?.type === "ProcessSubstitution"

const setters = /^(?:read|mapfile|readarray|getopts|printf|unset)$/
/** Options of builtins by which a variable is a list. */
const lists = /^-[a-z]*[aA]/

/** What the variables of a shell text are worth, as far as that is known before it runs. */
export class Variables {
  /** How often one gets a value in the text; one that does so once is known from there on. */
  readonly #assigned = new Map<string, number>()
  /** Those that are lists anywhere in the text. */
  readonly #lists = new Set<string>()
  readonly numbers = new Numbers()
  #values = new Map<string, Literal>()
  readonly #fixed: ReadonlyMap<string, string>

  constructor(fixed: Readonly<Record<string, string>> = {}) {
    this.#fixed = new Map(Object.entries(fixed))
  }

  /** Counts what gets a value in a script; what has one already is not known any more where it gets another there. */
  declare(script: Script): void {
    this.#count(script)
    for (const name of this.#values.keys()) if ((this.#assigned.get(name) ?? 0) > 1) this.forget(name)
    this.numbers.declare(script)
  }

  #count(node: SyntaxNode | Script): void {
    const count = (name: string) => this.#assigned.set(name, (this.#assigned.get(name) ?? 0) + 1)
    if (node.type === "Assignment") {
      count(node.name)
      if (node.value.type !== "Word" || node.index !== undefined) this.#lists.add(node.name)
    } else if (node.type === "For" || node.type === "Select") count(node.name.text)
    else if (node.type === "Command" && setters.test(node.name?.value ?? "")) {
      for (const part of node.suffix) if (part.type === "Word") for (const _ of [1, 2]) count(part.value)
    }
    for (const name of computedBy(node)) for (const _ of [1, 2]) count(name)
    if (node.type === "Command") this.#listed(node)
    forEachChild(node as SyntaxNode, (child) => this.#count(child))
  }

  #listed({ name, suffix }: Command): void {
    const words = suffix.flatMap((part) =>
      part.type === "Word" ? [part.value] : part.type === "Assignment" ? [part.text] : []
    )
    const makes = /^(?:mapfile|readarray)$/.test(name?.value ?? "") || words.some((word) => lists.test(word))
    if (makes) for (const word of words) this.#lists.add(word.replace(/[[+=].*$/s, ""))
  }

  /** Whether a variable may be a list, whose value is read as shell text by the builtins that declare it. */
  isList(name: string): boolean {
    return this.#lists.has(name)
  }

  /** From here on it has this value, unless it gets others elsewhere. */
  set(name: string, value: Literal): void {
    const isKept = (this.#assigned.get(name) ?? 0) <= 1 && !special.test(name)
    this.#values.set(name, isKept ? value : unknown)
    this.numbers.give(name)
  }

  forget(name: string): void {
    this.#values.set(name, unknown)
  }

  /** Reads what may not run, or in a process of its own: what gets a value there has one that is not known behind it. */
  within(read: () => void): void {
    const before = new Map(this.#values)
    this.numbers.within(read)
    for (const [name, value] of this.#values) if (before.get(name) !== value) this.forget(name)
  }

  /** Reads the text of another shell, which knows none of these values. */
  apart(read: () => void): void {
    const before = this.#values
    this.#values = new Map()
    this.numbers.apart(read)
    this.#values = before
  }

  /** What a word comes to: several for braces, none where it is not known. */
  words(given: Word): ReadonlyArray<Literal> | undefined {
    if (modified.test(given.text)) return undefined
    const part = this.numbers.isPlain ? { text: given.text.replaceAll("$(pwd)", "$PWD") } : given
    if (part.text.includes("{")) {
      const several = expanded(part.text)
      if (several !== undefined) {
        const found = several.map((one) => literal(one, this.#lookup))
        return found.every((one) => one !== undefined) ? found : undefined
      }
      if (isPaired(part.text)) return [{ value: part.text, bare: true, glob: false, tilde: false }]
      const range = rangeOf(part.text)
      if (range !== undefined) return range
    }
    const whole = /^"?(?<prefix>(?:\.\/)?)\$(?:(?<name>\w+)|\{(?<braced>\w+)\})"?$/.exec(part.text)?.groups
    const value = this.#values.get(whole?.["name"] ?? whole?.["braced"] ?? "")
    if (whole !== undefined && value !== undefined && (value.glob || value.tilde) && !value.value.includes(unknownPart))
      return [{ ...value, value: `${value.glob ? whole["prefix"] : ""}${value.value}` }]
    const word = literal(part.text, this.#lookup)
    return word === undefined ? undefined : [word]
  }

  /** What the words of a command come to, each one that is not known as one. */
  wordsOf(program: string | undefined, parts: Command["suffix"]): ReadonlyArray<Literal> {
    return parts.flatMap((part): ReadonlyArray<Literal> => {
      if (part.type === "Word") return this.wordsFor(program, part) ?? [unknownWord(part.text)]
      return part.type === "Assignment" ? [this.word(part.text)] : []
    })
  }

  /** What a word of a command comes to: for one that only reads, what another command prints is what it is given to read. */
  wordsFor(program: string | undefined, part: Word): ReadonlyArray<Literal> | undefined {
    if (isFed(part) && readOnlyCommands[program ?? ""]?.operands === "path") return [{ ...plain, value: "/dev/fd/63" }]
    return counting.test(program ?? "") ? this.#counted(part) : this.words(part)
  }

  /** The same where it makes no difference which number a variable is. */
  #counted(part: Word): ReadonlyArray<Literal> | undefined {
    const [, , name = ""] = /^("?)\$\{?(\w+|[?#!$]|PIPESTATUS\[\d+\])\}?\1$/.exec(part.text) ?? []
    return /^(?:[?#!$]|PIPESTATUS\[\d+\])$/.test(name) || this.numbers.isNumber(name) || this.numbers.isCount(part)
      ? [{ value: "12", bare: true, glob: false, tilde: false }]
      : this.words(part)
  }

  readonly #lookup = (name: string, _: string, quoted: boolean): string | undefined => {
    const value = this.#values.get(name)
    const known =
      value === undefined
        ? this.#assigned.has(name)
          ? undefined
          : name === "TMPDIR"
            ? "/tmp"
            : this.#fixed.get(name)
        : value.glob || value.tilde || value.value.includes(unknownPart)
          ? undefined
          : value.value
    return known === undefined || !(quoted || /^[\w\-./,+%@^:=]+$/.test(known)) ? undefined : known
  }

  /** One word, with what is not known of it marked. */
  word(text: string): Literal {
    return this.valueOf(text) ?? unknownWord(text)
  }

  /** One word, if it is known. */
  valueOf(text: string): Literal | undefined {
    return literal(text, this.#lookup)
  }
}

/** Whether a builtin that takes a word for an assignment may read its value as shell text. */
export const isListText = ({ value }: Literal, variables: Variables): boolean => {
  const [, name = "", given = ""] = /^([^=[+]*)[^=]*=(.*)$/s.exec(value) ?? []
  return given.startsWith("(") || (given.includes(unknownPart) && variables.isList(name))
}
