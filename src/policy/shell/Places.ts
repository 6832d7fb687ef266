import { allow, ask, strictest, type Verdict } from "../Verdict.ts"
import type { Literal } from "./Literal.ts"
import { isHarmlessGlob } from "./Globs.ts"
import { holds } from "./LexicalPath.ts"
import { protectedWord } from "./ProtectedWords.ts"
import type { ShellContext } from "./ShellContext.ts"
import { excerpt } from "./VisibleText.ts"

const maximumDirectories = 3
/** Paths that are judged, each of which may cost a look at the disk. */
const maximumPaths = 48

/** The directories a list of commands may be in, and what the path policy says of the paths it names from there. */
export class Places {
  #current: ReadonlyArray<string>
  #possible: ReadonlyArray<string>
  readonly #context: ShellContext
  #judged = 0

  constructor(context: ShellContext) {
    this.#context = context
    this.#current = [context.cwd]
    this.#possible = [context.cwd]
  }

  /** After this, any directory that was reached before is possible again. */
  forget(): void {
    this.#current = this.#possible
  }

  /** Enters a directory; `surely` if what follows runs only when that succeeded. */
  enter(directory: Literal, surely: boolean): void {
    const entered = this.#current.map((from) => this.#absolute(directory, from))
    this.#possible = [...new Set([...this.#possible, ...entered])]
    this.#current = surely ? entered : this.#possible
  }

  judge(path: Literal): Verdict {
    if (++this.#judged > maximumPaths) return ask("shell/too-complex", `It names more than ${maximumPaths} paths.`)
    if (this.#possible.length > maximumDirectories) {
      return ask("shell/too-complex", `It enters more than ${maximumDirectories - 1} directories.`)
    }
    if (path.value === "-") return standardInput
    if (path.value === "" || (path.glob && !isHarmlessGlob(path.value))) {
      return ask("shell/glob", `${excerpt(path.value)} can name files that hold secrets.`)
    }
    let verdict = protectedWord(path.value) ?? readable
    for (const from of this.#current) {
      const absolute = this.#absolute(path, from)
      verdict = strictest(
        verdict,
        this.#context.judgePath(path.glob ? absolute.replaceAll(/\*+/g, "x") : absolute, "read")
      )
    }
    return verdict
  }

  /** Whether a directory is, or holds, one of the roots, where secrets such as `.env` lie. */
  holdsRoot(directory: Literal | undefined): boolean {
    const named = directory ?? { value: ".", bare: true, glob: false, tilde: false }
    return this.#current.some((from) => this.#context.roots.some((root) => holds(this.#absolute(named, from), root)))
  }

  #absolute(path: Literal, from: string): string {
    if (path.tilde) return `${this.#context.home}${path.value.slice(1)}`
    return path.value.startsWith("/") ? path.value : `${from}/${path.value}`
  }
}

const readable = allow("shell/path", "It stays inside the allowed directories.")
const standardInput = allow("shell/path", "It reads its standard input.")
