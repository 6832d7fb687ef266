import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import * as os from "node:os"
import { deny } from "../Verdict.ts"
import { attempt, type FileFailure } from "./FileFailure.ts"
import { errnoOf } from "../../system/errno.ts"
import { PathRefused } from "./PathRefused.ts"
import { isWithin, segments } from "./PathText.ts"
import { resolve } from "./PhysicalPath.ts"

/** Linux's O_PATH (asm-generic/fcntl.h): a descriptor that names a directory without the right to read it. */
const O_PATH = 0x20_0000
/** Darwin's O_NOFOLLOW_ANY (sys/fcntl.h) refuses a symlink in any part of the path, elsewhere only the last can be. */
const noFollow = os.platform() === "darwin" ? 0x2000_0000 : (fs.constants.O_NOFOLLOW ?? 0)

const { O_DIRECTORY = 0, O_RDONLY } = fs.constants

/** An open directory that was reached from `/` without following a symlink. */
export interface Directory {
  readonly path: string
  readonly descriptor: number
  /** Names an entry for system calls; on Linux relative to the descriptor, which a rename of the path does not affect. */
  readonly at: (name: string) => string
  /** Fails if the directory is no longer where it was opened. */
  readonly verify: (operation: string) => Effect.Effect<void, PathRefused>
}

export interface DirectoryOptions {
  /** Missing directories below one of these are created, and removed again if the scope ends in failure. */
  readonly createWithin?: ReadonlyArray<string>
  /** Defaults to the descriptor file system where there is one. */
  readonly anchored?: boolean
}

export const isAnchored = (platform: NodeJS.Platform = os.platform()): boolean =>
  platform === "linux" && fs.existsSync("/proc/self/fd")

export const changed = (operation: string, path: string): PathRefused =>
  new PathRefused({
    operation,
    path,
    verdict: deny("path/changed", "it was replaced between check and use; look at it again before you repeat the call")
  })

const through = (descriptor: number, name: string): string => `/proc/self/fd/${descriptor}/${name}`

const openable = (path: string, flags: number): number => fs.openSync(path, flags | O_DIRECTORY | noFollow)

/** Opens `name`, which it may have to create; says so through `onCreate`. */
const enter = (path: string, flags: number, onCreate: (() => void) | undefined): number => {
  try {
    return openable(path, flags)
  } catch (cause) {
    if (errnoOf(cause) !== "ENOENT" || onCreate === undefined) throw cause
  }
  try {
    fs.mkdirSync(path)
    onCreate()
  } catch (cause) {
    if (errnoOf(cause) !== "EEXIST") throw cause
  }
  return openable(path, flags)
}

/** Holds one directory at a time on the way down; every name is looked up in a directory already reached. */
const descend = (path: string, onCreate: (path: string) => (() => void) | undefined): number => {
  let current = openable("/", O_PATH)
  try {
    let reached = ""
    for (const name of segments(path)) {
      reached = `${reached}/${name}`
      const next = enter(through(current, name), O_PATH, onCreate(reached))
      fs.closeSync(current)
      current = next
    }
    return current
  } catch (cause) {
    fs.closeSync(current)
    throw cause
  }
}

/** Without descriptors to go through: the path is checked, opened, and checked again. */
const openByName = (path: string, onCreate: (path: string) => (() => void) | undefined): number => {
  let reached = ""
  for (const name of segments(path)) {
    reached = `${reached}/${name}`
    fs.closeSync(enter(reached, O_RDONLY, onCreate(reached)))
  }
  return openable(path, O_RDONLY)
}

const isAt = (descriptor: number, path: string, anchored: boolean): boolean => {
  try {
    if (anchored) return fs.readlinkSync(`/proc/self/fd/${descriptor}`) === path
    const held = fs.fstatSync(descriptor, { bigint: true })
    const found = resolve(path)
    if (Either.isLeft(found) || found.right.path !== path) return false
    return found.right.stat?.dev === held.dev && found.right.stat.ino === held.ino
  } catch {
    return false
  }
}

/** Removes a directory if it is empty, and says nothing where it is not. */
export const removeEmpty = (path: string, anchored = isAnchored()): Effect.Effect<void> =>
  Effect.gen(function* () {
    const cut = path.lastIndexOf("/")
    const parent = yield* open("create", path.slice(0, cut) || "/", { anchored })
    yield* attempt("remove", path, () => fs.rmdirSync(parent.at(path.slice(cut + 1))))
  }).pipe(Effect.scoped, Effect.ignore)

/**
 * Opens a physical path name by name and follows no symlink: where one turned up since the path was resolved, it fails
 * with `PathRefused`. The descriptor is closed with the scope.
 */
export const open = (
  operation: string,
  path: string,
  options: DirectoryOptions = {}
): Effect.Effect<Directory, PathRefused | FileFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const anchored = options.anchored ?? isAnchored()
    const created: Array<string> = []
    const onCreate = (reached: string) =>
      options.createWithin?.some((root) => reached !== root && isWithin(reached, root)) === true
        ? () => void created.push(reached)
        : undefined
    yield* Effect.addFinalizer((exit) =>
      Exit.isFailure(exit)
        ? Effect.forEach(created.toReversed(), (made) => removeEmpty(made, anchored), { discard: true })
        : Effect.void
    )
    const descriptor = yield* Effect.acquireRelease(
      attempt(operation, path, () => (anchored ? descend(path, onCreate) : openByName(path, onCreate))),
      (held) => Effect.sync(() => fs.closeSync(held))
    ).pipe(
      Effect.mapError((failure): PathRefused | FileFailure =>
        failure.code === "ENOTDIR" || failure.code === "ELOOP" ? changed(operation, path) : failure
      )
    )
    const directory: Directory = {
      path,
      descriptor,
      at: (name) => (anchored ? through(descriptor, name) : `${path === "/" ? "" : path}/${name}`),
      verify: (use) => Effect.suspend(() => (isAt(descriptor, path, anchored) ? Effect.void : changed(use, path)))
    }
    yield* directory.verify(operation)
    return directory
  })

/** Makes what was done to the directory's entries durable. */
export const sync = (directory: Directory): Effect.Effect<void, FileFailure> =>
  attempt("save", directory.path, () => {
    const readable = openable(directory.at("."), O_RDONLY)
    try {
      fs.fsyncSync(readable)
    } finally {
      fs.closeSync(readable)
    }
  })
