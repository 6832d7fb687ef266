import type { Literal } from "../Literal.ts"
import type { ShellContext } from "../ShellContext.ts"
import { isKnown, plain } from "./Unknown.ts"

const most = 4

/** Where the commands of a shell text may run: where it begins, and wherever it goes. */
export class Directories {
  readonly #home: string
  #all: ReadonlyArray<string>

  constructor({ cwd, home }: Pick<ShellContext, "cwd" | "home">) {
    this.#home = home
    this.#all = [cwd]
  }

  get all(): ReadonlyArray<string> {
    return this.#all
  }

  /** What a word leads to, from each of them. */
  reached({ tilde, value }: Literal): ReadonlyArray<string> {
    if (tilde) return [`${this.#home}${value.slice(1)}`]
    return value.startsWith("/") ? [value] : this.#all.map((from) => `${from}/${value}`)
  }

  /** Goes where `cd` is told to, or stays; says which word that is, and why it is not known where it goes. */
  enter(args: ReadonlyArray<Literal>): { readonly word?: Literal; readonly reason?: string } {
    const [word = { ...plain, value: "~", tilde: true }, ...more] = args.filter(({ value }) => value !== "--")
    // Back to where the text itself has come from; before that, it is where the shell was last.
    if (word.value === "-" && more.length === 0 && this.#all.length > 1) return {}
    if (more.length > 0 || /^(?:-|\+\d)/.test(word.value) || word.glob || !isKnown(word))
      return { reason: "where it goes is known only at run time" }
    const all = [...new Set([...this.#all, ...this.reached(word)])]
    this.#all = all.slice(-most)
    return all.length <= most ? { word } : { word, reason: "it goes through more directories than are read" }
  }
}
