import type { Word } from "unbash"
import { type Literal, literal, type Lookup } from "./Literal.ts"

/** The values of environment variables, which no text may change. */
export type Variables = Readonly<Record<string, string>>

/** Values that the shell does not split or expand outside of quotes. */
const unsplit = /^[\w\-./,+%@^:=]+$/
/** A variable in quotes that is all of a word, or all but `./`. */
const wholeVariable = /^"(?<prefix>(?:\.\/)?)\$(?:(?<name>\w+)|\{(?<braced>\w+)\})"$/
const asWritten: Lookup = (_, written) => written

/** What the words of a text say that stand for themselves, or for a variable that is known. */
export class PlainWords {
  readonly #text: string
  readonly #variables: Variables | undefined
  #usesDirectory = false
  /** The variable of the loop that is read. */
  loop: { readonly name: string; readonly word: Literal } | undefined

  constructor(text: string, variables: Variables | undefined) {
    this.#text = text
    this.#variables = variables
  }

  get usesDirectory(): boolean {
    return this.#usesDirectory
  }

  /** A word as far as it is known and read as the parser reads it; of a number that is only printed, any will do. */
  read(part: Word, isPrinted = false): Literal | undefined {
    if (part.text !== this.#text.slice(part.pos, part.end)) return undefined
    const { braced, name, prefix = "" } = wholeVariable.exec(part.text)?.groups ?? {}
    const loop = this.loop
    if (loop?.word.glob === true && loop.name === (name ?? braced)) {
      return { ...loop.word, bare: false, value: `${prefix}${loop.word.value}` }
    }
    if (/^(?:-I)?\{\}$/.test(part.text) && this.#variables !== undefined)
      return { value: part.text, bare: true, glob: false, tilde: false }
    const word = literal(part.text, (named, _, quoted) => this.#lookup(named, quoted, isPrinted))
    return word?.glob === true || literal(part.text, asWritten)?.value === part.value ? word : undefined
  }

  #lookup(name: string, quoted: boolean, isPrinted: boolean): string | undefined {
    if (name === "?") return isPrinted && this.#variables !== undefined ? "0" : undefined
    const loop = this.loop
    const value = loop?.name === name ? (loop.word.glob ? undefined : loop.word.value) : this.#variable(name)
    return value === undefined || !(quoted || unsplit.test(value)) ? undefined : value
  }

  #variable(name: string): string | undefined {
    const variables = this.#variables
    if (variables === undefined || !Object.hasOwn(variables, name)) return undefined
    if (name === "PWD") this.#usesDirectory = true
    return variables[name]
  }
}
