import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as fs from "node:fs"
import { resolve } from "../../policy/path/PhysicalPath.ts"

const exists = (path: string): boolean => fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf("/")) || "/"

/** The nearest directory above that holds `.git`, itself included. */
export const topOf = (directory: string): string | undefined =>
  exists(`${directory}/.git`) ? directory : directory === "/" ? undefined : topOf(parentOf(directory))

/** What a path leads to; nothing where it leads nowhere, as a loop of links does. */
const found = Option.liftThrowable((path: string) => fs.statSync(path))

/** The text of a small file; nothing where there is none. */
export const small = (file: string): string =>
  Option.exists(found(file), (stat) => stat.isFile() && stat.size <= 4096) ? fs.readFileSync(file, "utf8").trim() : ""

export const physical = (path: string): string | undefined => Either.getOrUndefined(resolve(path))?.path

/** The directory that `.git` is or names; undefined where that cannot be told. */
export const gitDirectoryOf = (top: string): string | undefined => {
  const dotGit = `${top}/.git`
  if (Option.exists(found(dotGit), (stat) => stat.isDirectory())) return physical(dotGit)
  const [, target] = /^gitdir: (.+)$/.exec(small(dotGit)) ?? []
  return target === undefined ? undefined : physical(target.startsWith("/") ? target : `${top}/${target}`)
}
