import * as Either from "effect/Either"
import { excerpt } from "../../../text/excerpt.ts"
import { isWithin } from "../../path/PathText.ts"
import { ask, type Verdict } from "../../Verdict.ts"
import { normalise } from "../LexicalPath.ts"
import type { ShellContext } from "../ShellContext.ts"
import { shown } from "./Step.ts"
import type { Touched } from "./Touched.ts"
import type { WordPaths } from "./WordPaths.ts"

interface Change {
  readonly by: string
  readonly since: number
  readonly places: ReadonlySet<string>
}

/** Operations that follow a link. */
const following = new Set<Touched["op"]>(["read", "write", "list", "enter", "link"])

/** Places that hold other files and links than are there now, once a command of the text has run. */
export class Upset {
  readonly #context: ShellContext
  readonly #words: WordPaths
  #changes: ReadonlyArray<Change> = []

  constructor(context: ShellContext, words: WordPaths) {
    this.#context = context
    this.#words = words
  }

  follow(touched: ReadonlyArray<Touched>): void {
    this.#changes = touched.flatMap((one): ReadonlyArray<Change> => {
      const { by, from, op, since = 0, word } = one
      if (op !== "upset") return []
      const places = from.flatMap((directory) => {
        const place = this.#words.absolute(word, directory)
        return this.#ways(word.value === "." ? this.#top(place) : place)
      })
      return [{ by, since, places: new Set(places) }]
    })
  }

  /** Why what is touched may be something else by then, by its place in the list and the paths that it stands for. */
  judge({ by, op, unfollowed }: Touched, at: number, path: string): Verdict | undefined {
    if (!following.has(op) || (/^git\s/.test(by) && !by.includes("--no-index"))) return undefined
    const ways = this.#ways(unfollowed === true ? `${normalise(path)}/..` : path)
    const change = this.#changes.find(
      ({ places, since }) =>
        since <= at && ways.some((way) => [...places].some((place) => way !== place && isWithin(way, place)))
    )
    return change === undefined
      ? undefined
      : ask(
          "shell/not-known",
          `${excerpt(shown(by))} uses ${excerpt(this.#words.short(path))}, which may be another file or a link once ${excerpt(shown(change.by))} has run; run that by itself first.`
        )
  }

  #ways(path: string): ReadonlyArray<string> {
    const led = this.#words.led(path)
    return led === undefined ? [normalise(path)] : [normalise(path), led]
  }

  /** The directory of the repository that a place is in, or the place where there is none. */
  #top(path: string): string {
    const place = this.#words.led(path) ?? normalise(path)
    const names = place.split("/")
    for (let count = names.length; count > 1; count--) {
      const directory = names.slice(0, count).join("/")
      const found = this.#context.resolve?.(`${directory}/.git`)
      if (found !== undefined && Either.isRight(found) && found.right.kind !== "missing") return directory
    }
    return place
  }
}
