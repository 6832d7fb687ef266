import * as Either from "effect/Either"
import type { Literal } from "../Literal.ts"
import type { ShellContext } from "../ShellContext.ts"
import { isKnown, plain } from "./Unknown.ts"

const most = 4

/** What is looked for in `CDPATH`: no `/a`, `./a` or `../a` (POSIX, `cd`). */
const searched = /^(?!\/|\.{1,2}(?:\/|$))./

/** Where the commands of a shell text may run: where it begins, and wherever it goes. */
export class Directories {
  readonly #where: Pick<ShellContext, "cdPath" | "home" | "resolve">
  #all: ReadonlyArray<string>

  constructor({ cwd, ...where }: Pick<ShellContext, "cdPath" | "cwd" | "home" | "resolve">) {
    this.#where = where
    this.#all = [cwd]
  }

  get all(): ReadonlyArray<string> {
    return this.#all
  }

  /** What a word leads to, from each of them. */
  reached({ tilde, value }: Literal): ReadonlyArray<string> {
    if (tilde) return [`${this.#where.home}${value.slice(1)}`]
    return value.startsWith("/") ? [value] : this.#all.map((from) => `${from}/${value}`)
  }

  /** What `CDPATH` has under the name that `cd` is told. */
  #found({ tilde, value }: Literal): ReadonlyArray<Literal> {
    const { cdPath = [], resolve } = this.#where
    if (tilde || !searched.test(value)) return []
    return cdPath
      .flatMap((directory) => this.reached({ ...plain, value: `${directory}/${value}` }))
      .filter((place) => {
        const led = resolve?.(place)
        return led === undefined || (Either.isRight(led) && led.right.kind === "directory")
      })
      .map((place) => ({ ...plain, value: place }))
  }

  /** Goes where `cd` is told to, or stays; says which words that are, and why it is not known where it goes. */
  enter(args: ReadonlyArray<Literal>): { readonly words: ReadonlyArray<Literal>; readonly reason?: string } {
    const [word = { ...plain, value: "~", tilde: true }, ...more] = args.filter(({ value }) => value !== "--")
    // Back to where the text itself has come from; before that, it is where the shell was last.
    if (word.value === "-" && more.length === 0 && this.#all.length > 1) return { words: [] }
    if (more.length > 0 || /^(?:-|\+\d)/.test(word.value) || word.glob || !isKnown(word))
      return { words: [], reason: "where it goes is known only at run time" }
    const words = [word, ...this.#found(word)]
    const all = [...new Set([...this.#all, ...words.flatMap((one) => this.reached(one))])]
    this.#all = all.slice(-most)
    return all.length <= most ? { words } : { words, reason: "it goes through more directories than are read" }
  }
}
