import * as Either from "effect/Either"
import type * as fs from "node:fs"
import { excerpt } from "../../text/excerpt.ts"
import { ask, type Verdict } from "../Verdict.ts"
import { entriesOf, tooMany, unseen } from "./Descent.ts"
import type { FindEntry, FindExpression } from "./FindExpression.ts"

/** A starting point of `find`. */
export interface FindStart {
  /** Absolute, with no link in it. */
  readonly directory: string
  /** As `find` prints it. */
  readonly printed: string
  readonly expression: FindExpression
  /** Entries that may be looked at. */
  readonly most: number
}

/** What `find` may take below a starting point, a few too many rather than one too few. */
export interface FoundFiles {
  /** Absolute paths; other than files and links, nothing has contents. */
  readonly files: ReadonlyArray<string>
  readonly links: ReadonlyArray<string>
  /** The first, the starting point among them, that holds a blank, a quote or a backslash in what is printed of it, so that it is more than one word. */
  readonly odd: string | undefined
  /** The first that begins as an option does. */
  readonly option: string | undefined
  readonly looks: number
}

const unshown = (directory: string): Verdict =>
  ask("shell/not-known", `${excerpt(directory)} holds a file whose name cannot be shown.`)

const isOdd = (name: string): boolean => /[\s'"\\]/.test(name)

/** Asks where a name that was found is no name, or more than one, to the command that is handed it. */
export const mistaken = ({ odd, option }: FoundFiles, isSplit: boolean, by: string): Verdict | undefined => {
  if (option !== undefined)
    return ask("shell/not-known", `${excerpt(by)} takes the file ${excerpt(option)} for an option.`)
  if (!isSplit || odd === undefined) return undefined
  const how = "names pass as they are from `find -print0` to `xargs -0`"
  return ask("shell/not-known", `${excerpt(by)} takes ${excerpt(odd)} for more than one name; ${how}.`)
}

const kindOf = (entry: fs.Dirent): FindEntry["kind"] =>
  entry.isDirectory() ? "directory" : entry.isFile() ? "file" : entry.isSymbolicLink() ? "link" : "other"

/** The files that a use of `find` takes below a starting point; what cannot be seen asks. */
export const findBelow = ({ directory, expression, most, printed }: FindStart): Either.Either<FoundFiles, Verdict> => {
  const found = { file: Array<string>(), link: Array<string>(), directory: Array<string>(), other: Array<string>() }
  const pending = [{ place: directory, shown: printed }]
  let looks = 0
  let odd = isOdd(printed) ? printed : undefined
  let option = printed.startsWith("-") ? printed : undefined
  for (let one = pending.pop(); one !== undefined; one = pending.pop()) {
    const { place, shown } = one
    const entries = Either.try({ try: () => entriesOf(place), catch: (cause) => unseen(directory, cause) })
    if (Either.isLeft(entries)) return Either.left(entries.left)
    looks += entries.right.length
    if (looks > most) return Either.left(tooMany(directory))
    for (const entry of entries.right) {
      const kind = kindOf(entry)
      const above = shown === "" || shown.endsWith("/") ? shown : `${shown}/`
      const child = { place: `${place}/${entry.name}`, shown: `${above}${entry.name}` }
      if (expression.takes({ path: child.shown, kind }) !== "no") {
        if (child.shown.includes("\ufffd")) return Either.left(unshown(directory))
        found[kind].push(child.place)
        if (isOdd(child.shown)) odd ??= child.shown
        if (child.shown.startsWith("-")) option ??= child.shown
      }
      if (kind === "directory" && !expression.prunes(child.shown) && expression.takesBelow(child.shown))
        pending.push(child)
    }
  }
  return Either.right({ files: found.file, links: found.link, odd, option, looks })
}
