import * as Either from "effect/Either"
import type { PhysicalPath } from "../path/PhysicalPath.ts"
import { allow, ask, deny, strictest, type Verdict } from "../Verdict.ts"
import { maximumLooks } from "./Descent.ts"
import type { Found } from "./doing/Step.ts"
import { mistaken } from "./FoundFiles.ts"
import type { GitContents } from "./GitContents.ts"
import type { Literal } from "./Literal.ts"
import { isHarmlessGlob } from "./Globs.ts"
import { mayBeFlag } from "./Arguments.ts"
import { isThere } from "./isThere.ts"
import { holds, normalise } from "./LexicalPath.ts"
import { protectedWord } from "./ProtectedWords.ts"
import { leftOut, type Search } from "./Search.ts"
import type { ShellContext } from "./ShellContext.ts"
import { excerpt } from "../../text/excerpt.ts"

const maximumDirectories = 3
/** Paths that are judged, each of which may cost a look at the disk. */
const maximumPaths = 48
/** Patterns that are expanded, once for each directory. */
const maximumPatterns = 16
/** Paths that all patterns together may match. */
const maximumMatches = 1024

/** The directories a list of commands may be in, and what the path policy says of the paths it names from there. */
export class Places {
  #current: ReadonlyArray<string>
  #possible: ReadonlyArray<string>
  readonly #context: ShellContext
  #judged = 0
  #patterns = 0
  #matches = 0
  #looks = 0

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
    const entered = this.#current.flatMap((from) => this.#entered(this.#absolute(directory, from)))
    this.#possible = [...new Set([...this.#possible, ...entered])]
    this.#current = surely ? entered : this.#possible
  }

  /** `cd` takes `link/..` by the letter and, only where that fails, as programs take it. */
  #entered(path: string): ReadonlyArray<string> {
    const byLetter = normalise(path)
    return this.#led(path)?.path === this.#led(byLetter)?.path ? [path] : [byLetter, path]
  }

  /** Why git must not run without asking in one of its directories. */
  judgeGit(contents: GitContents): Verdict | undefined {
    for (const from of this.#current) {
      const refused = this.#context.judgeGit?.(this.#led(from)?.path ?? from, contents)
      if (refused !== undefined) return refused
    }
    return undefined
  }

  /** Judges what happens in another directory and ends there. */
  within(directory: Literal, judge: () => Verdict): Verdict {
    const current = this.#current
    this.#current = current.map((from) => this.#absolute(directory, from))
    const verdict = judge()
    this.#current = current
    return verdict
  }

  /** Whether a path is there, wherever the command may be; by the letter where that cannot be seen. */
  exists(path: string): boolean {
    return isThere(path, this.#current, this.#context)
  }

  /** `also` is reported for each path it matches. */
  judge(path: Literal, also: (absolute: string) => Verdict = () => readable): Verdict {
    if (++this.#judged > maximumPaths) return ask("shell/too-complex", `Names more than ${maximumPaths} paths.`)
    if (this.#possible.length > maximumDirectories) {
      return ask("shell/too-complex", `Enters more than ${maximumDirectories - 1} directories.`)
    }
    if (path.value === "-") return standardInput
    if (path.value === "" || (path.glob && !isHarmlessGlob(path.value))) {
      return ask(
        "shell/glob",
        path.value === "" ? "Names an empty path." : `${excerpt(path.value)} can match files that hold secrets.`
      )
    }
    let verdict = readable
    for (const from of this.#current) {
      verdict = strictest(verdict, this.#named(path, from, also))
      if (path.glob && verdict.decision === "allow") verdict = this.#matched(path, from, also)
    }
    return verdict
  }

  #named(path: Literal, from: string, also: (absolute: string) => Verdict): Verdict {
    const absolute = this.#absolute(path, from)
    return [this.#context.judgePath(absolute, "read"), also(absolute)].reduce(
      strictest,
      protectedWord(path.value) ?? readable
    )
  }

  /** Judges each match of a pattern as if it were named. */
  #matched({ leads, value: pattern }: Literal, from: string, also: (absolute: string) => Verdict): Verdict {
    if (this.#context.expand === undefined) {
      return ask("shell/glob", `The matches of ${excerpt(pattern)} are known only at run time.`)
    }
    if (++this.#patterns > maximumPatterns) {
      return ask("shell/too-complex", `Contains more than ${maximumPatterns} patterns.`)
    }
    const expanded = this.#context.expand(pattern, from, maximumMatches - this.#matches)
    if (Either.isLeft(expanded)) return expanded.left
    this.#matches += expanded.right.length
    if (leads === true && expanded.right.some((path) => path.startsWith("-")))
      return mayBeFlag(pattern, "its command would")
    return expanded.right.reduce((verdict, path) => {
      const { decision, reason, rule } = this.#named({ ...plain, value: path }, from, also)
      const why = `${excerpt(pattern)} also matches ${excerpt(path)}: ${reason}`
      return strictest(verdict, decision === "allow" ? readable : decision === "ask" ? ask(rule, why) : deny(rule, why))
    }, readable)
  }

  /** Whether an absolute path is, or holds, one of the roots, where secrets such as `.env` lie. */
  holdsRoot(path: string): boolean {
    const led = this.#led(path)?.path ?? path
    return this.#context.roots.some((root) => holds(path, root) || holds(led, root))
  }

  /** Whether it is seen what a search opens. */
  get seesBelow(): boolean {
    return this.#context.descend !== undefined
  }

  /** Asks if a search of an absolute path would open a file that may not be read without asking. */
  searched(path: string, name: string, search: Search): Verdict {
    const directory = this.#led(path)?.path ?? normalise(path)
    const { descend, judgePath, judgeFound = (file: string) => judgePath(file, "read") } = this.#context
    const found = descend?.({
      ...search,
      ...leftOut(search, directory, this.#context),
      directory,
      most: maximumLooks - this.#looks
    })
    if (found === undefined) return readable
    if (Either.isLeft(found)) return found.left
    this.#looks += found.right.looks
    return this.#refused(found.right.files, name, judgeFound) ?? readable
  }

  #refused(files: ReadonlyArray<string>, by: string, judge: (file: string) => Verdict): Verdict | undefined {
    for (const file of files) {
      const { decision, reason, rule } = judge(file)
      if (decision !== "allow") return ask(rule, `${excerpt(by)} would also read ${excerpt(file)}: ${reason}`)
    }
    return undefined
  }

  /** Asks if a command is handed a file below a place that may not be read without asking, or a name that it does not take for one. */
  found(start: Literal, { expression, isBare, isSplit }: Found, by: string): Verdict {
    const { findBelow, judgePath, judgeFound = (file: string) => judgePath(file, "read") } = this.#context
    for (const from of this.#current) {
      const path = this.#absolute(start, from)
      const found = findBelow?.({
        directory: this.#led(path)?.path ?? normalise(path),
        printed: isBare ? "" : start.value,
        expression,
        most: maximumLooks - this.#looks
      })
      if (found === undefined || start.glob)
        return ask("shell/not-known", `${excerpt(by)} uses files whose names are known only at run time.`)
      if (Either.isLeft(found)) return found.left
      const { files, links, looks } = found.right
      this.#looks += looks
      const refused =
        mistaken(found.right, isSplit, by) ??
        this.#refused(files, by, judgeFound) ??
        this.#refused(links, by, (link) => judgePath(link, "read"))
      if (refused !== undefined) return refused
    }
    return readable
  }

  /** Whether an absolute path is known to lead to a directory. */
  isDirectory(path: string): boolean {
    return this.#led(path)?.kind === "directory"
  }

  #led(path: string): PhysicalPath | undefined {
    return this.#context.resolve?.(path).pipe(Either.getOrUndefined)
  }

  #absolute(path: Literal, from: string): string {
    if (path.tilde) return `${this.#context.home}${path.value.slice(1)}`
    return path.value.startsWith("/") ? path.value : `${from}/${path.value}`
  }
}

const plain = { bare: true, glob: false, tilde: false }
const readable = allow("shell/path", "It stays inside the allowed directories.")
const standardInput = allow("shell/path", "It reads its standard input.")
