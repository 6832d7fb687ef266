import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { expand, matchName, parseName, type NamePattern } from "./GlobPattern.ts"
import { takesAll } from "./runs.ts"

/** In characters; with the cap on paths they bound a match to some tens of milliseconds, typically microseconds. */
const maxPattern = 1024
const maxPath = 4096

export class GlobInvalid extends Schema.TaggedError<GlobInvalid>()("GlobInvalid", {
  glob: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${JSON.stringify(this.glob)} is not a usable path pattern: ${this.reason}`
  }
}

type Part = "**" | NamePattern

const matches = (parts: ReadonlyArray<Part>, names: ReadonlyArray<string>): boolean =>
  takesAll(
    parts,
    names,
    (part) => part === "**",
    (part, name) => part !== "**" && matchName(part, name)
  )

/**
 * Compiles a path pattern: `*` and `?` within a name, `**` for any number of names, `[a-z]` and `[!a-z]`, `{a,b}`, and
 * `\` before a character that means itself. Names that begin with a dot are like others. A pattern matches whole paths;
 * no path longer than 4096 characters matches. Matching never backtracks more than one step per wildcard: a translation
 * into a regular expression took 21 s for three wildcards and 1,000 characters.
 */
export const compile = (glob: string): Either.Either<(path: string) => boolean, GlobInvalid> => {
  const invalid = (reason: string) => Either.left(new GlobInvalid({ glob: glob.slice(0, 200), reason }))
  if (glob === "") return invalid("it is empty")
  if (glob.length > maxPattern) return invalid(`it is longer than ${maxPattern} characters`)
  if (/\p{Cc}/u.test(glob)) return invalid("it holds control characters")
  return Either.mapBoth(
    Either.flatMap(expand(glob), (alternatives) =>
      Either.all(alternatives.map((alternative) => Either.all(alternative.split("/").map(parsePart))))
    ),
    {
      onLeft: (reason) => new GlobInvalid({ glob, reason }),
      onRight: (alternatives) => (path: string) => {
        if (path.length > maxPath) return false
        const names = path.split("/")
        return alternatives.some((parts) => matches(parts, names))
      }
    }
  )
}

const parsePart = (part: string): Either.Either<Part, string> =>
  part === "**" ? Either.right("**" as const) : parseName(part)
