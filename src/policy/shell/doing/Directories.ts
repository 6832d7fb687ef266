import type { Literal } from "../Literal.ts"
import type { ShellContext } from "../ShellContext.ts"

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

  /** Goes to what a word leads to, or stays; false where these are more than are kept. */
  enter(word: Literal): boolean {
    const all = [...new Set([...this.#all, ...this.reached(word)])]
    this.#all = all.slice(-most)
    return all.length <= most
  }
}
