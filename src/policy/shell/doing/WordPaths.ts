import * as Either from "effect/Either"
import { excerpt } from "../../../text/excerpt.ts"
import { ask, type Verdict } from "../../Verdict.ts"
import { isHarmlessGlob } from "../Globs.ts"
import { normalise } from "../LexicalPath.ts"
import type { Literal } from "../Literal.ts"
import type { ShellContext } from "../ShellContext.ts"

/** Names that patterns may stand for. */
const maximumMatches = 1024

/** Directories below one another that `**` may stand for. */
const maximumDepth = 8

/** What `**` stands for where a shell takes it for directories at any depth, and what it does where that is `*`. */
const deepened = (pattern: string): ReadonlyArray<string> => {
  if (!/(?:^|\/)\*\*(?:\/|$)/.test(pattern)) return [pattern]
  const depths = Array.from({ length: maximumDepth + 1 }, (_, depth) => "*/".repeat(depth))
  return depths.map((stars) => pattern.replace(/\*\*(?:\/|$)/, (whole) => (whole === "**" ? `${stars}*` : stars)))
}

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
    const { expand } = this.#context
    if (expand === undefined) return []
    const found: Array<string> = []
    for (const pattern of deepened(word.value)) {
      const some = expand(pattern, from, Math.max(0, maximumMatches - this.#matches))
      if (Either.isLeft(some)) {
        note(some.left)
        return []
      }
      this.#matches += some.right.length
      found.push(...some.right)
    }
    const option = found.find((path) => /^(?:\.\/)?-/.test(path))
    if (option !== undefined)
      note(
        ask("shell/glob", `${excerpt(word.value)} also matches ${excerpt(option)}, which may be taken for an option.`)
      )
    return found.map((path) => this.absolute({ ...word, value: path }, from))
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
    const single = path.replaceAll(/\/{2,}/g, "/")
    return path.startsWith(`${cwd}/`) && path.length > cwd.length + 1 ? path.slice(cwd.length + 1) : single
  }

  isDirectory(path: string): boolean {
    return this.#kindOf(path) === "directory"
  }

  isFile(path: string): boolean {
    return this.#kindOf(path) === "file"
  }

  /** Whether a name is there from a directory or one above it. */
  isAbove(name: string, directory: string): boolean {
    const names = normalise(directory).split("/")
    return names.some((_, index) => {
      const kind = this.#kindOf(`${names.slice(0, index + 1).join("/")}/${name}`)
      return kind !== undefined && kind !== "missing"
    })
  }

  /** Whether a file runs with the rights of its owner or its group. */
  lendsRights(path: string): boolean {
    const led = this.#context.resolve?.(path)
    return (
      led !== undefined &&
      Either.isRight(led) &&
      ((led.right.stat?.mode ?? 0n) & 0o6000n) !== 0n &&
      led.right.kind === "file"
    )
  }

  #kindOf(path: string): string | undefined {
    const led = this.#context.resolve?.(path)
    return led === undefined || Either.isLeft(led) ? undefined : led.right.kind
  }

  /** Whether the last name of a path is a link. */
  isLink(path: string): boolean {
    const [, above = "", name = ""] = /^(.*)\/([^/]+)$/s.exec(path) ?? []
    const parent = this.led(above)
    return parent !== undefined && this.led(path) !== `${parent === "/" ? "" : parent}/${name}`
  }

  led(path: string): string | undefined {
    const led = this.#context.resolve?.(path)
    return led === undefined || Either.isLeft(led) ? undefined : led.right.path
  }
}
