import * as Either from "effect/Either"
import * as fs from "node:fs"
import { deny, type Verdict } from "../Verdict.ts"
import { errnoOf, errnoText } from "../../system/errno.ts"

export type Kind = "file" | "directory" | "symlink" | "fifo" | "socket" | "device" | "missing"

export const kindOf = (entry: fs.StatsBase<bigint> | fs.Dirent): Exclude<Kind, "missing"> => {
  if (entry.isFile()) return "file"
  if (entry.isDirectory()) return "directory"
  if (entry.isSymbolicLink()) return "symlink"
  if (entry.isFIFO()) return "fifo"
  return entry.isSocket() ? "socket" : "device"
}

/** Where a path leads once its symlinks are followed: no name in it but a `symlink` asked not to be followed is one. */
export interface PhysicalPath {
  readonly path: string
  readonly kind: Kind
  /** Present unless the kind is `missing`. */
  readonly stat?: fs.BigIntStats
}

/** As many as Linux follows. */
const maxLinks = 40

const join = (names: ReadonlyArray<string>): string => `/${names.join("/")}`

const reverse = (path: string): Array<string> => path.split("/").reverse()

/** The file systems in which a name is an alias of something else (`/proc/self/root`, `/proc/1/cwd`). */
const isAlias = (names: ReadonlyArray<string>): boolean => names[0] === "proc" || names[0] === "sys"

/**
 * Follows an absolute path name by name, as the kernel would, and refuses loops, aliases and names below a file. A part
 * that does not exist yet is taken as written. What it returns is a claim about one moment: use it only through
 * `Directory`, which follows no symlink at all.
 */
export const resolve = (raw: string, followLast = true): Either.Either<PhysicalPath, Verdict> => {
  const todo = reverse(raw)
  const names: Array<string> = []
  let links = 0
  let missing = false
  let stat: fs.BigIntStats | undefined
  let last: string | undefined
  while ((last = todo.pop()) !== undefined) {
    if (last === "" || last === ".") continue
    if (stat !== undefined && !stat.isDirectory()) {
      return Either.left(deny("path/not-a-directory", `${join(names)} is not a directory`))
    }
    if (last === "..") {
      names.pop()
      stat = undefined
      missing = false
      continue
    }
    names.push(last)
    if (isAlias(names)) return Either.left(deny("path/kernel", `${join(names)} points to kernel files`))
    stat = undefined
    if (missing) continue
    try {
      stat = fs.lstatSync(join(names), { bigint: true })
    } catch (cause) {
      if (errnoOf(cause) !== "ENOENT") {
        return Either.left(deny("path/unresolvable", `${join(names)}: ${errnoText(errnoOf(cause))}`))
      }
      missing = true
      continue
    }
    if (!stat.isSymbolicLink() || (!followLast && !todo.some((name) => name !== "" && name !== "."))) continue
    if (++links > maxLinks) {
      return Either.left(deny("path/symlink-loop", `${join(names)} is part of a loop of symlinks`))
    }
    let target: string
    try {
      target = fs.readlinkSync(join(names))
    } catch (cause) {
      return Either.left(deny("path/unresolvable", `${join(names)}: ${errnoText(errnoOf(cause))}`))
    }
    names.pop()
    if (target.startsWith("/")) names.length = 0
    todo.push(...reverse(target))
    stat = undefined
  }
  if (missing) return Either.right({ path: join(names), kind: "missing" })
  try {
    stat ??= fs.lstatSync(join(names), { bigint: true })
  } catch (cause) {
    if (errnoOf(cause) === "ENOENT") return Either.right({ path: join(names), kind: "missing" })
    return Either.left(deny("path/unresolvable", `${join(names)}: ${errnoText(errnoOf(cause))}`))
  }
  return Either.right({ path: join(names), kind: kindOf(stat), stat })
}

/** Where a path leads, or the path itself where that cannot be told. */
export const ledTo = (path: string): string =>
  Either.match(resolve(path), { onLeft: () => path, onRight: (led) => led.path })
