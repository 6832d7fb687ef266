import * as fs from "node:fs"
import * as path from "node:path"
import { errnoOf } from "../system/errno.ts"
import { memo } from "../system/memo.ts"
import type { SandboxPolicy } from "./SandboxPolicy.ts"

/** `closed` is what stands in a directory that may not be looked into. */
export type Kind = "absent" | "closed" | "file" | "directory" | "link"

/** What there is to see of the file system before a command starts. */
export interface View {
  readonly kind: (path: string) => Kind
  /** The target of a link, as written in it. */
  readonly target: (path: string) => string
  /** Whether something can be made in a directory as it is. */
  readonly canFill: (directory: string) => boolean
}

export interface Absent {
  readonly path: string
  readonly kind: "file" | "directory"
}

/** A policy in terms of paths without links, each list in the order in which it is to be applied. */
export interface Plan {
  readonly writable: ReadonlyArray<string>
  /** Directories that are neither writable nor the policy's own. */
  readonly readable?: ReadonlyArray<string>
  /** Directories between a writable one and something protected; to be mounted, since a mount cannot be renamed away. */
  readonly pinned: ReadonlyArray<string>
  readonly readOnly: ReadonlyArray<string>
  /** Must exist before it can be made read-only; part of `readOnly`. */
  readonly absent: ReadonlyArray<Absent>
  readonly hidden: ReadonlyArray<Absent>
  /** The policy's own directory, undefined where it does not exist. */
  readonly cwd: string | undefined
}

/** What is at a path, where the system lets us look; below a file there is nothing. */
export const look = (path: string): fs.BigIntStats | "absent" | "closed" => {
  try {
    return fs.lstatSync(path, { bigint: true, throwIfNoEntry: false }) ?? "absent"
  } catch (error) {
    if (errnoOf(error) === "EACCES") return "closed"
    if (errnoOf(error) === "ENOTDIR") return "absent"
    throw error
  }
}

export const system: View = {
  kind: (path) => {
    const stat = look(path)
    if (typeof stat === "string") return stat
    return stat.isSymbolicLink() ? "link" : stat.isDirectory() ? "directory" : "file"
  },
  target: (path) => fs.readlinkSync(path),
  canFill: (directory) => {
    try {
      fs.accessSync(directory, fs.constants.W_OK)
      return true
    } catch {
      return false
    }
  }
}

/** Linux follows as many. */
const maximalLinks = 40

interface Step {
  readonly parent: string
  readonly path: string
  readonly kind: Kind
  readonly last: boolean
}

/** Every component on the way to a path, links included, until the first that cannot be seen or has nothing below it. */
const walk = function* (view: View, start: string): Generator<Step> {
  let rest = start.split("/").filter((name) => name !== "")
  let parent = "/"
  let links = 0
  while (rest.length > 0) {
    const [name = "", ...further] = rest
    const here = path.join(parent, name)
    const kind = name === ".." ? "directory" : view.kind(here)
    yield { parent, path: here, kind, last: further.length === 0 }
    if (kind === "absent" || kind === "closed" || kind === "file") return
    if (kind !== "link") {
      parent = here
      rest = further
    } else {
      if (++links > maximalLinks) return
      const target = view.target(here)
      if (target.startsWith("/")) parent = "/"
      rest = [...target.split("/").filter((part) => part !== "" && part !== "."), ...further]
    }
  }
}

/** The target of a path, undefined if it does not exist. */
const resolve = (view: View, start: string): Absent | undefined => {
  if (start === "/") return { path: "/", kind: "directory" }
  let end: Absent | undefined
  for (const { path, kind, last } of walk(view, start))
    end = last && (kind === "file" || kind === "directory") ? { path, kind } : undefined
  return end
}

/** Whether `path` is `directory` or below it. */
export const within = (directory: string, path: string): boolean =>
  path === directory || path.startsWith(directory === "/" ? "/" : `${directory}/`)

const depth = (path: string): number => path.split("/").length

const ordered = (paths: Iterable<string>): ReadonlyArray<string> =>
  [...new Set(paths)].sort((a, b) => depth(a) - depth(b))

/** Those not inside another one: a hidden directory is empty, and nothing can be mounted in it. */
const outermost = (places: ReadonlyArray<Absent>): ReadonlyArray<Absent> =>
  places.filter(({ path }) => !places.some((other) => other.path !== path && within(other.path, path)))

/** What a policy means on the file system as it is now; each place is looked at once, however many paths lead through it. */
export const make = (policy: SandboxPolicy, live: View = system): Plan => {
  const view: View = { ...live, kind: memo(new Map(), live.kind) }
  const from = (given: string): string => path.resolve(policy.cwd, given)
  const existing = (given: ReadonlyArray<string>): ReadonlyArray<Absent> =>
    given.map((one) => resolve(view, from(one))).filter((one) => one !== undefined)
  const writable = ordered(existing(policy.writable).map(({ path }) => path)).filter((root) => root !== "/")
  const canWrite = (place: string): boolean => writable.some((root) => within(root, place))

  const pinned = new Set<string>()
  const readOnly = new Set<string>()
  const absent = new Map<string, Absent>()
  for (const given of policy.protected) {
    for (const { parent, path, kind, last } of walk(view, from(given))) {
      if (kind === "absent") {
        if (!canWrite(parent)) continue
        if (!view.canFill(parent)) {
          // A command may make its own directory writable first.
          readOnly.add(parent)
          continue
        }
        absent.set(path, { path, kind: last && !given.endsWith("/") ? "file" : "directory" })
        readOnly.add(path)
      } else if (kind === "link" || kind === "closed") {
        // Nothing can be mounted there, so what holds it must not change: a link could be replaced, and a directory opened.
        if (canWrite(parent)) readOnly.add(parent)
      } else if (last || kind === "file") {
        if (canWrite(path) || writable.some((root) => within(path, root))) readOnly.add(path)
      } else if (canWrite(path) && !writable.includes(path)) pinned.add(path)
    }
  }
  for (const given of policy.hidden ?? [])
    for (const { kind, parent } of walk(view, from(given)))
      if (kind === "closed" && canWrite(parent)) readOnly.add(parent)
  const cwd = resolve(view, policy.cwd)?.path
  const readable = existing(policy.readable ?? []).flatMap(({ path }) =>
    path === cwd || path === "/" || canWrite(path) ? [] : [path]
  )
  return {
    writable,
    ...(readable.length === 0 ? {} : { readable: ordered(readable) }),
    pinned: ordered(pinned),
    readOnly: ordered(readOnly),
    absent: [...absent.values()],
    hidden: outermost(existing(policy.hidden ?? [])),
    cwd
  }
}
