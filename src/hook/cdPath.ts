import * as fs from "node:fs"
import * as path from "node:path"
import { effectsOf } from "../policy/shell/Effects.ts"
import { ask, type Verdict } from "../policy/Verdict.ts"
import { excerpt } from "../text/excerpt.ts"

/** The directories of `CDPATH` other than the one where a shell stands. */
export const cdPathOf = (variable: string | undefined): ReadonlyArray<string> =>
  (variable ?? "").split(":").filter((directory) => !/^\.?\/*$/.test(directory) || directory.startsWith("/"))

/** What `cd` looks for in `CDPATH`: no `/a`, `./a` or `../a` (POSIX, `cd`). */
const isSearched = (name: string): boolean => !/^(?:\/|\.{1,2}(?:\/|$)|~|-$|$)/.test(name)

const isDirectory = (place: string): boolean => fs.statSync(place, { throwIfNoEntry: false })?.isDirectory() === true

/** Why a shell that has these directories in `CDPATH` may go elsewhere than where a text seems to go, if so. */
export const ledAway = (
  texts: ReadonlyArray<string>,
  cwd: string,
  cdPath: ReadonlyArray<string>
): Verdict | undefined => {
  if (cdPath.length === 0) return undefined
  for (const words of texts.flatMap((text) => effectsOf(text).shape.commands)) {
    const [name, ...args] = words.slice(words.findIndex((word) => !/^(?:command|builtin)$/.test(word)))
    if (name !== "cd" && name !== "pushd") continue
    const named = args.find((word) => !/^-./.test(word))
    if (named === undefined || !isSearched(named)) continue
    const found = cdPath.map((directory) => path.resolve(cwd, directory, named)).find(isDirectory)
    if (found !== undefined)
      return ask("path/cdpath", `${excerpt(`cd ${named}`)} may go to ${excerpt(found)}, by the variable CDPATH.`)
  }
  return undefined
}
