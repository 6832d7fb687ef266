import * as Either from "effect/Either"
import * as fs from "node:fs"
import { isWithin } from "../../policy/path/PathText.ts"
import { resolve } from "../../policy/path/PhysicalPath.ts"
import { tracked, type Tracked } from "../git/Index.ts"
import { topOf } from "../git/GitDirectory.ts"
import { skip } from "./GitIgnore.ts"

/** A path and the directories above it, from below a directory down. */
const downTo = (path: string, top: string): ReadonlyArray<string> => {
  const names = path.slice(top.length + 1).split("/")
  return names.map((_, index) => `${top}/${names.slice(0, index + 1).join("/")}`)
}

/** What an index tracks, read again only where it has become another file. */
const indexReader = (): ((file: string) => Tracked | undefined) => {
  let last: { readonly identity: string; readonly tracked: Tracked | undefined } | undefined
  return (file) => {
    const stat = fs.lstatSync(file, { bigint: true, throwIfNoEntry: false })
    if (stat === undefined) return undefined
    const identity = [file, stat.ino, stat.size, stat.mtimeNs].join(" ")
    if (last?.identity !== identity) last = { identity, tracked: tracked(file) }
    return last.tracked
  }
}

/**
 * Whether an absolute path is a directory that the repository around `root` ignores and tracks nothing of, so that what lies there
 * can be made again. No where that cannot be told, by links among others.
 */
export const isIgnoredDirectory = (root: string): ((path: string) => boolean) => {
  const read = indexReader()
  return (path) => {
    const top = topOf(root)
    if (top === undefined || path === top || !isWithin(path, top) || path.split("/").includes(".git")) return false
    const led = Either.getOrUndefined(resolve(path))
    if (led?.path !== path || led.kind !== "directory") return false
    const known = read(`${top}/.git/index`)
    const name = path.slice(top.length + 1)
    if (known === undefined || known.names.some((each) => each === name || each.startsWith(`${name}/`))) return false
    const isSkipped = skip([top], top)
    return downTo(path, top).some((directory) => isSkipped({ path: directory, kind: "directory" }))
  }
}
