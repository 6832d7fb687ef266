import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import { isWithin, normalise } from "./PathText.ts"
import { resolve } from "./PhysicalPath.ts"

/** The files below the roots that may not be read without asking and have several names. */
export interface LinkedSecrets {
  readonly ids: ReadonlySet<string>
  /** There was more than is looked at. */
  readonly partial: boolean
}

/**
 * Where a session may touch files. It comes from where the user started and never from an argument of the model.
 * All paths are absolute. `trusted` is for other policies that share the context: trust never widens what a path may
 * reach.
 */
export interface PathContext {
  readonly cwd: string
  readonly roots: ReadonlyArray<string>
  readonly home: string
  readonly trusted: boolean
  /** Directories of our own configuration, records and code: no tool reads or writes them, in any mode. */
  readonly stateDirs: ReadonlyArray<string>
  /** Directories of which each session may read its own part, wherever they are: results that were too long for the model. */
  readonly readable?: ReadonlyArray<string>
  /** Repository directories that are not called `.git`; `make` finds those that a root's `.git` file points to. */
  readonly gitDirs?: ReadonlyArray<string>
  readonly platform?: NodeJS.Platform
  /** The result of one search for one call; if unset, each path searches again. */
  readonly linkedSecrets?: () => LinkedSecrets
}

export class BoundaryInvalid extends Schema.TaggedError<BoundaryInvalid>()("BoundaryInvalid", {
  setting: Schema.Literal("roots", "cwd", "home"),
  value: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.setting} ${JSON.stringify(this.value)} is not a valid root: ${this.reason}`
  }
}

const system = new Set(["bin", "boot", "dev", "etc", "lib", "lib64", "proc", "run", "sbin", "sys", "usr"])

/** Why a directory cannot be a root, or undefined where it can. */
export const rootFault = (root: string, home: string): string | undefined => {
  if (root.trim() === "") return "it is empty"
  if (!root.startsWith("/")) return "it is not an absolute path"
  const path = normalise(root)
  if (path === "/") return "it is the whole file system; name the directories to work in"
  if (system.has(path.slice(1))) return "it is a system directory; name the directories to work in"
  if (path !== home && isWithin(home, path)) return "it contains home directories; name the directories to work in"
  return undefined
}

const physicalDirectory = (setting: "roots" | "cwd", value: string): Effect.Effect<string, BoundaryInvalid> => {
  const resolved = resolve(value)
  if (Either.isLeft(resolved)) {
    return Effect.fail(new BoundaryInvalid({ setting, value, reason: resolved.left.reason }))
  }
  return resolved.right.kind === "directory"
    ? Effect.succeed(resolved.right.path)
    : Effect.fail(new BoundaryInvalid({ setting, value, reason: "it is not an existing directory" }))
}

/** The directory that a worktree's or submodule's `.git` file names; at most 4 KiB of it are read. */
const gitDirectory = (root: string): ReadonlyArray<string> => {
  try {
    const file = fs.openSync(`${root}/.git`, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK)
    try {
      if (!fs.fstatSync(file).isFile()) return []
      const buffer = Buffer.alloc(4096)
      const line = buffer.toString("utf8", 0, fs.readSync(file, buffer, 0, buffer.length, 0)).split("\n", 1)[0] ?? ""
      if (!line.startsWith("gitdir:")) return []
      const target = line.slice("gitdir:".length).trim()
      const lexical = normalise(target.startsWith("/") ? target : `${root}/${target}`)
      const resolved = resolve(lexical)
      return Either.isRight(resolved) ? [lexical, resolved.right.path] : [lexical]
    } finally {
      fs.closeSync(file)
    }
  } catch {
    return []
  }
}

/** A directory as it is written and where it leads; it need not be there yet. */
const names = (directory: string): ReadonlyArray<string> =>
  Either.match(resolve(directory), {
    onLeft: () => [normalise(directory)],
    onRight: ({ path }) => [normalise(directory), path]
  })

/**
 * Checks a boundary and resolves its symlinks once: at least one root, each an existing directory that is neither the
 * file system nor a part of the system, and a working directory inside one of them.
 */
export const make = Effect.fnUntraced(function* (given: PathContext) {
  const home = normalise(given.home)
  if (!given.home.startsWith("/")) {
    return yield* new BoundaryInvalid({ setting: "home", value: given.home, reason: "it is not an absolute path" })
  }
  if (given.roots.length === 0) {
    return yield* new BoundaryInvalid({ setting: "roots", value: "", reason: "an empty list gives no access at all" })
  }
  const roots = new Set<string>()
  for (const root of given.roots) {
    const fault = rootFault(root, home)
    if (fault !== undefined) return yield* new BoundaryInvalid({ setting: "roots", value: root, reason: fault })
    const real = yield* physicalDirectory("roots", root)
    const realFault = rootFault(real, home)
    if (realFault !== undefined) return yield* new BoundaryInvalid({ setting: "roots", value: root, reason: realFault })
    roots.add(real).add(normalise(root))
  }
  const context: PathContext = {
    ...given,
    home,
    roots: [...roots],
    gitDirs: [...(given.gitDirs ?? []), ...[...roots].flatMap(gitDirectory)],
    stateDirs: [...new Set(given.stateDirs.flatMap(names))],
    readable: (given.readable ?? []).flatMap(names)
  }
  return yield* changeDirectory(context, given.cwd)
})

/** The same boundary seen from another directory, which must lie inside it: the roots never move. */
export const changeDirectory = (context: PathContext, cwd: string): Effect.Effect<PathContext, BoundaryInvalid> =>
  Effect.gen(function* () {
    const absolute = cwd.startsWith("/") ? cwd : `${context.cwd}/${cwd}`
    const real = yield* physicalDirectory("cwd", absolute)
    if (!context.roots.some((root) => isWithin(real, root))) {
      return yield* new BoundaryInvalid({ setting: "cwd", value: cwd, reason: "it is outside the allowed roots" })
    }
    return { ...context, cwd: real }
  })
