import * as Either from "effect/Either"
import { normalise } from "../LexicalPath.ts"
import type { ShellContext } from "../ShellContext.ts"
import type { Touched } from "./Touched.ts"
import { unknownPart } from "./Step.ts"
import type { WordPaths } from "./WordPaths.ts"

/** Where files come to lie that no word names, once they are copied or moved: those that a pattern stands for, and those below a directory. */
export const broughtBy = (
  { from, named = [], word }: Touched,
  words: WordPaths,
  { descend, judgePath, protectedChange }: ShellContext,
  most: number
): { readonly paths: ReadonlyArray<string>; readonly looks: number } => {
  let looks = 0
  const isJudged = (path: string): boolean => {
    const { decision, rule } = judgePath(path, "write")
    const isFree = decision === "allow" || rule === "path/outside" || rule === "path/not-a-file"
    return !isFree || protectedChange?.(path)?.decision === "deny"
  }
  const below = (path: string, at: string): ReadonlyArray<string> => {
    const directory = words.led(path) ?? normalise(path)
    const found = descend?.({ directory, filters: [], hidden: "all", most: Math.max(0, most - looks) })
    if (found === undefined || Either.isLeft(found)) return []
    looks += found.right.looks
    return found.right.files.map((file) => `${at}${file.slice(directory.length)}`).filter(isJudged)
  }
  const paths = from.flatMap((directory) => {
    const place = words.absolute(word, directory)
    const isThere = words.isDirectory(place)
    return named.flatMap((source) => {
      if (source.value.includes(unknownPart)) return []
      return words
        .named(source, directory, () => undefined)
        .flatMap((path) => {
          const at = isThere ? `${place}/${path.slice(path.lastIndexOf("/") + 1)}` : place
          return words.isDirectory(path) ? below(path, at) : source.glob ? [at] : []
        })
    })
  })
  return { paths, looks }
}
