import {
  type ArithmeticExpression,
  type Assignment,
  type Command,
  forEachChild,
  type Script,
  type SyntaxNode,
  type Word
} from "unbash"
import { declarers } from "../Wrappers.ts"
import { isOwnName } from "./Environment.ts"

const number = /^(?:\d+(?:#\w+)?|0x[\da-f]+|\$[?#!$])$/i
const variable = /^\$?(?<plain>[a-z_]\w*)$|^\$\{(?<braced>[a-z_]\w*)\}$/i

/** The variables that an arithmetic expression uses, which holds nothing else but numbers, and those that it gives a value. */
interface Computed {
  readonly uses: ReadonlyArray<string>
  readonly sets: ReadonlyArray<string>
}

const nothing: Computed = { uses: [], sets: [] }

const all = (parts: ReadonlyArray<Computed | undefined>): Computed | undefined => {
  const known = parts.filter((part) => part !== undefined)
  return known.length < parts.length
    ? undefined
    : { uses: known.flatMap(({ uses }) => uses), sets: known.flatMap(({ sets }) => sets) }
}

const assigns = /^(?:[-+*/%&|^]|<<|>>)?=$/

/** The variable that an operand is, written without a sign before its name. */
const nameOf = (operand: ArithmeticExpression): string | undefined =>
  operand.type === "ArithmeticWord" && /^[a-z_]\w*$/i.test(operand.value) ? operand.value : undefined

/** What an expression computes with; `undefined` where it is more than numbers and names. */
const computed = (expression: ArithmeticExpression | undefined): Computed | undefined => {
  switch (expression?.type) {
    case "ArithmeticBinary": {
      const { left, operator, right } = expression
      const parts = all([computed(left), computed(right)])
      if (parts === undefined || !assigns.test(operator)) return parts
      const name = nameOf(left)
      if (name === undefined) return undefined
      return {
        uses: operator === "=" ? parts.uses.filter((one) => one !== name) : parts.uses,
        sets: [...parts.sets, name]
      }
    }
    case "ArithmeticUnary": {
      const operand = computed(expression.operand)
      if (operand === undefined || !/^(?:\+\+|--)$/.test(expression.operator)) return operand
      const name = nameOf(expression.operand)
      return name === undefined ? undefined : { ...operand, sets: [name] }
    }
    case "ArithmeticTernary":
      return all([computed(expression.test), computed(expression.consequent), computed(expression.alternate)])
    case "ArithmeticGroup":
      return computed(expression.expression)
    case "ArithmeticWord": {
      if (number.test(expression.value)) return nothing
      const name = variable.exec(expression.value)?.groups
      const used = name?.["plain"] ?? name?.["braced"]
      return used === undefined ? undefined : { uses: [used], sets: [] }
    }
    default:
      return undefined
  }
}

/** Commands that print one number and nothing else. */
const prints = /^\$\(\s*(?:[^()`;&|\n]+\|\s*)*(?:wc\s+-[lwcm](?:\s*<\s*[^\s()|;&<>`]+)?|date\s+'?\+%s'?|nproc)\s*\)$/

const isNumber = ({ parts, text }: Word): boolean =>
  /^"?(?:-?\d+|\$[?#!$])"?$/.test(text) ||
  prints.test(text) ||
  (parts?.length === 1 && parts[0]?.type === "ArithmeticExpansion" && parts[0].text === text)

const isRange = ({ text }: Word): boolean => /^-?\d+$|^\{-?\d+\.\.-?\d+(?:\.\.-?\d+)?\}$/.test(text)

/** The arithmetic expressions of a part of shell syntax; `undefined` for one that is not read. */
const expressionsOf = (node: SyntaxNode | Script): ReadonlyArray<ArithmeticExpression | undefined> =>
  node.type === "ArithmeticFor"
    ? [node.initialize, node.test, node.update].filter((one) => one !== undefined)
    : node.type === "ArithmeticCommand" || node.type === "ArithmeticExpansion"
      ? [node.expression]
      : []

/** The variables to which a part of shell syntax gives a value that it computes. */
export const computedBy = (node: SyntaxNode | Script): ReadonlyArray<string> =>
  expressionsOf(node).flatMap((expression) => computed(expression)?.sets ?? [])

/** They give values to the variables that they are told of. */
const setters = /^(?:read|mapfile|readarray|getopts|unset|wait)$/
/** By these, variables can get values that no word says. */
const opaque = /^(?:eval|source|\.|trap|alias|enable|builtin|command)$/

/** Commands for which one number is as good as another. */
export const counting = /^(?:test|\[|exit|return|kill|wait|sleep|seq|shift|printf)$/

/** Variables to which shells give values by themselves, whatever a text gives them. */
export const special =
  /^(?:_|E?[UG]ID|PPID|HISTCMD|HISTNO|EPOCH.*|S?RANDOM|SECONDS|LINENO|ERRNO|ARGC|SHLVL|HOST.*|OSTYPE|MACHTYPE|funcstack|REPLY|MAPFILE|COPROC|OPT[A-Z]+|BASH.*|COMP.*|READLINE.*|DIRSTACK|FUNCNAME|GROUPS|PIPESTATUS|[A-Z]*MATCH|M?(?:BEGIN|END)|TTY.*|argv|path|reply|match|mbegin|mend|status|pipestatus|[a-z]*path|aliases|options|commands|functions|history|parameters|prompt|psvar|words|signals)$/

/**
 * The variables of a shell text that are numbers wherever it gives them a value. The value of another one in an arithmetic expression
 * is an expression itself, which can run a command.
 */
export class Numbers {
  readonly #others = new Set<string>()
  #given: ReadonlySet<string> = new Set()
  #isOpaque = false

  /** Notes what gets a value below a node. */
  declare(node: SyntaxNode | Script): void {
    if (node.type === "Assignment") this.#assigned(node)
    else if (node.type === "For") {
      if (node.wordlist?.every(isRange) !== true) this.#others.add(node.name.text)
    } else if (node.type === "Select") this.#others.add(node.name.text)
    else if (node.type === "Command") this.#called(node)
    else if (node.type === "ParameterExpansion") {
      const [, name] = /^\$\{(\w+):?=/.exec(node.text) ?? []
      if (name !== undefined) this.#others.add(name)
    } else if (node.type === "Function") this.#isOpaque ||= /^(?:wc|date|nproc|pwd)$/.test(node.name.text)
    forEachChild(node as SyntaxNode, (child) => this.declare(child))
  }

  #assigned({ index, name, value }: Assignment): void {
    if (index !== undefined || value.type !== "Word" || !isNumber(value)) this.#others.add(name)
  }

  #called({ name, suffix }: Command): void {
    const called = name?.text ?? "true"
    const words = suffix.filter((part) => part.type === "Word")
    const sets = setters.test(called) || (called === "printf" && words.some(({ value }) => value.startsWith("-v")))
    if (sets) for (const { value } of words) this.#others.add(value)
    const isUnknown =
      !/^(?:\[|[\w./@:+-]+)$/.test(called) ||
      (sets && words.some(({ text }) => /[$`{}*?[\]]/.test(text))) ||
      (declarers.has(called) && words.some(({ text }) => !/^(?:-[grx]+|\w+)$/.test(text)))
    this.#isOpaque ||= isUnknown || opaque.test(called)
  }

  /** Whether commands mean what they are called. */
  get isPlain(): boolean {
    return !this.#isOpaque
  }

  /** Notes that a variable gets a value here. */
  give(name: string): void {
    this.#given = new Set([...this.#given, name])
  }

  /** Reads what may not run, or in a process of its own: what it gives a value has none for sure behind it. */
  within(read: () => void): void {
    const before = this.#given
    read()
    this.#given = before
  }

  /** Reads the text of another shell, which has been given none of these. */
  apart(read: () => void): void {
    this.within(() => {
      this.#given = new Set()
      read()
    })
  }

  /** Whether a word is a number that is computed, or that a command prints. */
  isCount(word: Word): boolean {
    const isPrinted = prints.test(word.text.replace(/^"(.*)"$/s, "$1"))
    return isPrinted ? !this.#isOpaque : isNumber(word)
  }

  isNumber(name: string): boolean {
    return !this.#isOpaque && this.#given.has(name) && !this.#others.has(name) && isOwnName(name) && !special.test(name)
  }

  /** Whether a part of shell syntax computes with numbers alone; what it gives a value is one from there on. */
  computes(node: SyntaxNode | Script): boolean {
    return expressionsOf(node).every((expression) => {
      const found = computed(expression)
      if (found === undefined || !found.uses.every((name) => this.isNumber(name))) return false
      for (const name of found.sets) this.give(name)
      return found.sets.every((name) => this.isNumber(name))
    })
  }
}
