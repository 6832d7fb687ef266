import * as Either from "effect/Either"
import * as fs from "node:fs"
import { errnoOf, errnoText } from "../../system/errno.ts"
import { matchName, parseName } from "../path/GlobPattern.ts"
import { ask, type Verdict } from "../Verdict.ts"
import { excerpt, firstUnseen } from "../../text/excerpt.ts"

/** Directory entries and names that are looked at for one pattern. */
const maximumLooks = 4096

/** What bash expands and this does not: one character, classes, extended patterns, and names that begin with a dot. */
const beyond = /[?[\]\\(){}]|(?:^|\/)\.[^/]*\*/

const unknown = (pattern: string, why: string): Verdict =>
  ask("shell/glob", `The matches of ${excerpt(pattern)} are not known: ${why}.`)

/**
 * What bash without options of its own puts in place of a pattern in a directory, sorted; nothing where nothing matches
 * and the pattern stands for itself. `**` is `*`, and also all directories below, as zsh and bash with `globstar` have it; hidden
 * names are left out. Links are followed as bash follows them, and a name too many is found rather than one too few; what cannot
 * be seen in full, or within the bounds, asks.
 */
export const expand = (pattern: string, from: string, most: number): Either.Either<ReadonlyArray<string>, Verdict> =>
  Either.gen(function* () {
    if (beyond.test(pattern)) return yield* Either.left(unknown(pattern, "only `*` is expanded"))
    const absolute = pattern.startsWith("/")
    let left = maximumLooks
    let found: ReadonlyArray<string> = [absolute ? "/" : ""]
    for (const name of pattern.split("/").slice(absolute ? 1 : 0)) {
      const next: Array<string> = []
      for (const path of found) {
        const above = path === "" || path.endsWith("/") ? path : `${path}/`
        const names = yield* Either.mapLeft(look(absolute ? above : `${from}/${above}`, name, left), (why) =>
          unknown(pattern, why)
        )
        left -= names.length + 1
        next.push(...(isPattern(name) ? matching(name, names) : names).map((each) => `${above}${each}`))
        if (name !== "**") continue
        const below = yield* Either.mapLeft(lookBelow(absolute ? above : `${from}/${above}`, left), (why) =>
          unknown(pattern, why)
        )
        left -= below.length
        next.push(path, ...below.map((each) => `${above}${each}`))
      }
      if (next.some(isOdd)) return yield* Either.left(unknown(pattern, "it matches a name that cannot be shown"))
      found = [...new Set(next)]
    }
    if (found.length > most) return yield* Either.left(unknown(pattern, `it matches more than ${most} names`))
    return found.filter((path) => path !== "").sort()
  })

const isPattern = (name: string): boolean => name.includes("*")

/** Holds what a reader cannot see, or bytes that are no text and would be judged under another name. */
const isOdd = (name: string): boolean => name.includes("\ufffd") || firstUnseen(name) !== undefined

const matching = (pattern: string, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  Either.match(parseName(pattern), {
    onLeft: () => names,
    onRight: (parsed) => names.filter((name) => !name.startsWith(".") && matchName(parsed, name))
  })

/** All names in a directory if some are to be matched, else the given one if it is there; or why that cannot be told. */
const look = (directory: string, name: string, limit: number): Either.Either<ReadonlyArray<string>, string> => {
  if (limit <= 0) return tooMuch
  try {
    if (isPattern(name)) return Either.map(list(directory, limit), (entries) => entries.map((entry) => entry.name))
    fs.lstatSync(`${directory}${name}`)
    return Either.right([name])
  } catch (cause) {
    return unseen(cause)
  }
}

/** All that lies below the directories in a directory, none of which is hidden. */
const lookBelow = (directory: string, limit: number): Either.Either<ReadonlyArray<string>, string> => {
  const found: Array<string> = []
  const open = [""]
  try {
    for (let place = open.pop(); place !== undefined; place = open.pop()) {
      const entries = list(`${directory}${place}`, limit - found.length)
      if (Either.isLeft(entries)) return Either.left(entries.left)
      for (const entry of entries.right) {
        if (entry.name.startsWith(".")) continue
        found.push(`${place}${entry.name}`)
        if (entry.isDirectory()) open.push(`${place}${entry.name}/`)
      }
    }
    return Either.right(found)
  } catch (cause) {
    return unseen(cause)
  }
}

/** Nothing where nothing is there, else why that cannot be told. */
const unseen = (cause: unknown): Either.Either<ReadonlyArray<string>, string> => {
  const code = errnoOf(cause)
  return code === "ENOENT" || code === "ENOTDIR" ? Either.right([]) : Either.left(errnoText(code))
}

const tooMuch = Either.left(`more than ${maximumLooks} names to check`)

const list = (directory: string, limit: number): Either.Either<ReadonlyArray<fs.Dirent>, string> => {
  const opened = fs.opendirSync(directory)
  try {
    const entries: Array<fs.Dirent> = []
    for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
      if (entries.push(entry) > limit) return tooMuch
    }
    return Either.right(entries)
  } finally {
    opened.closeSync()
  }
}
