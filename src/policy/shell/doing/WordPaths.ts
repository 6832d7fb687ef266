import * as Either from "effect/Either"
import { excerpt } from "../../../text/excerpt.ts"
import { ask, type Verdict } from "../../Verdict.ts"
import { isHarmlessGlob } from "../Globs.ts"
import type { Literal } from "../Literal.ts"
import type { ShellContext } from "../ShellContext.ts"

/** Names that patterns may stand for. */
const maximumMatches = 1024

/** The paths that the words of a shell text stand for. */
export class WordPaths {
  readonly #context: ShellContext
  #matches = 0

  constructor(context: ShellContext) {
    this.#context = context
  }

  /** The paths that a word stands for in a directory. */
  named(word: Literal, from: string, note: (verdict: Verdict) => void): ReadonlyArray<string> {
    const absolute = this.absolute(word, from)
    if (!word.glob) return [absolute]
    if (!isHarmlessGlob(word.value)) {
      note(ask("shell/glob", `${excerpt(word.value)} can match files that hold secrets.`))
      return []
    }
    const found = this.#context.expand?.(word.value, from, Math.max(0, maximumMatches - this.#matches))
    if (found === undefined) return []
    if (Either.isLeft(found)) {
      note(found.left)
      return []
    }
    this.#matches += found.right.length
    return found.right.map((path) => this.absolute({ ...word, value: path }, from))
  }

  absolute({ tilde, value }: Literal, from: string): string {
    if (tilde) return `${this.#context.home}${value.slice(1)}`
    return value.startsWith("/") ? value : `${from}/${value}`
  }

  /** Where a file of a name comes to lie that is put at a place, which may be a directory. */
  places(at: Literal, from: string, name: string): ReadonlyArray<string> {
    const place = this.absolute(at, from)
    const within = `${place}/${name.slice(name.lastIndexOf("/") + 1)}`
    return /(?:^|\/)\.{0,2}$/.test(at.value) || this.isDirectory(place) ? [within] : [place, within]
  }

  /** A path as it is called from where the command runs. */
  short(path: string): string {
    const { cwd } = this.#context
    return path.startsWith(`${cwd}/`) && path.length > cwd.length + 1 ? path.slice(cwd.length + 1) : path
  }

  isDirectory(path: string): boolean {
    const led = this.#context.resolve?.(path)
    return led !== undefined && Either.isRight(led) && led.right.kind === "directory"
  }

  led(path: string): string | undefined {
    const led = this.#context.resolve?.(path)
    return led === undefined || Either.isLeft(led) ? undefined : led.right.path
  }
}
