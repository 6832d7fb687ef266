import * as Either from "effect/Either"
import { excerpt } from "../../../text/excerpt.ts"
import { sentence } from "../../../text/sentence.ts"
import { ask, type Verdict } from "../../Verdict.ts"
import { mistaken } from "../FoundFiles.ts"
import { maximumLooks } from "../Descent.ts"
import { normalise } from "../LexicalPath.ts"
import { findExpression } from "../FindExpression.ts"
import { everything, leftOut, type Search } from "../Search.ts"
import { isTemporary } from "../TemporaryPlaces.ts"
import type { ShellContext } from "../ShellContext.ts"
import { type Found, shown } from "./Step.ts"
import type { Touched } from "./Touched.ts"
import type { WordPaths } from "./WordPaths.ts"

const anything = findExpression([])!

/** Judges what commands read below places, as long as all of them together hold no more than can be looked at. */
export class ReadBelow {
  readonly #context: ShellContext
  readonly #words: WordPaths
  #looks = 0

  constructor(context: ShellContext, words: WordPaths) {
    this.#context = context
    this.#words = words
  }

  /** Entries that may still be looked at. */
  get left(): number {
    return maximumLooks - this.#looks
  }

  spend(looks: number): void {
    this.#looks += looks
  }

  /** The files that a search opens below a place, without those that links lead to. */
  searched(path: string, by: string, search: Search): Verdict | undefined {
    const directory = this.#directory(path)
    const left = leftOut(search, directory, this.#context)
    const found = this.#context.descend?.({ ...search, ...left, directory, most: this.left })
    if (found === undefined) return undefined
    if (Either.isLeft(found)) return found.left
    this.spend(found.right.looks)
    return this.#read(found.right.files, by)
  }

  /** What the links below a place lead to, and what lies below that. */
  followed(path: string, by: string, seen: ReadonlySet<string> = new Set()): Verdict | undefined {
    const directory = this.#directory(path)
    if (seen.has(directory)) return undefined
    const found = this.#context.findBelow?.({ directory, printed: "", expression: anything, most: this.left })
    if (found === undefined) return undefined
    if (Either.isLeft(found)) return found.left
    this.spend(found.right.looks)
    const within = new Set([...seen, directory])
    for (const link of found.right.links) {
      const verdict =
        this.#read([link], by, this.#named) ??
        this.searched(link, by, everything) ??
        (this.#words.isDirectory(link) ? this.followed(link, by, within) : undefined)
      if (verdict !== undefined) return verdict
    }
    return undefined
  }

  /** The files that are found below a place, and what their links lead to. */
  found(path: string, touched: Touched, { expression, isBare, isSplit }: Found): Verdict | undefined {
    const by = shown(touched.by)
    const found = this.#context.findBelow?.({
      directory: this.#directory(path),
      printed: isBare ? "" : printed(path, touched),
      expression,
      most: this.left
    })
    if (found === undefined)
      return ask("shell/not-known", `${excerpt(by)} uses files whose names are known only at run time.`)
    if (Either.isLeft(found)) return found.left
    const { files, links, looks } = found.right
    this.spend(looks)
    return mistaken(found.right, isSplit, by) ?? this.#read(files, by) ?? this.#read(links, by, this.#named)
  }

  readonly #named = (path: string): Verdict => this.#context.judgePath(path, "read")

  #read(
    files: ReadonlyArray<string>,
    by: string,
    judge = this.#context.judgeFound ?? this.#named
  ): Verdict | undefined {
    for (const file of files) {
      const { decision, reason, rule } = judge(file)
      const isFree = rule === "path/outside" && isTemporary(this.#directory(file), this.#context.home)
      if (decision !== "allow" && !isFree)
        return ask(rule, sentence(`${excerpt(by)} also reads ${excerpt(file)}: ${reason}`))
    }
    return undefined
  }

  #directory(path: string): string {
    return this.#words.led(path) ?? normalise(path)
  }
}

/** A path as its command is given it, and prints it. */
const printed = (path: string, { from, word }: Touched): string => {
  if (!word.glob && !word.tilde) return word.value
  const directory =
    word.tilde || word.value.startsWith("/") ? undefined : from.find((one) => path.startsWith(`${one}/`))
  return directory === undefined ? path : path.slice(directory.length + 1)
}
