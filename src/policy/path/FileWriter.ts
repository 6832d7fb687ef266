import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { confirm, inspect, type Base } from "./Base.ts"
import { sha256, writeWhole } from "./Content.ts"
import { isAnchored, open, sync, type Directory } from "./Directory.ts"
import { attempt, settle, StaleFile, type FileFailure, type FileTooLarge } from "./FileFailure.ts"
import { errnoOf } from "../../system/errno.ts"
import type { JudgedPath } from "./PathPolicy.ts"
import type { PathRefused } from "./PathRefused.ts"
import { split } from "./PathText.ts"
import { besideStem, note, temporaryName } from "../../system/Temporary.ts"

export type ChangeFailed = PathRefused | FileFailure | FileTooLarge | StaleFile

export interface ChangeOptions {
  /** Compared before the change; if unset, the change applies to any content. */
  readonly base?: Base
}

export interface WriteOptions extends ChangeOptions {
  /** The permission bits; if unset, those of the file, or for a new one what the system's mask leaves. */
  readonly mode?: number
}

export interface Written {
  readonly change: "created" | "modified"
  readonly path: string
  /** In bytes. */
  readonly size: number
  /** In bytes; 0 for a created file. */
  readonly previousSize: number
  /** The base for the next change. */
  readonly sha256: string
  /** Other names of the old file, which keep its old content. */
  readonly otherNames: number
}

const { O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_WRONLY } = fs.constants

/** A new file beside the target: its name cannot be guessed, and it is gone when the scope ends. */
const temporary = Effect.fnUntraced(function* (parent: Directory, path: string, mode: number) {
  const name = temporaryName(besideStem)
  const removed = Effect.ignore(attempt("remove", path, () => fs.unlinkSync(parent.at(name))))
  yield* Effect.acquireRelease(
    Effect.sync(() => note(split(path).directory, name)),
    (takeBack) => Effect.sync(takeBack)
  )
  const descriptor = yield* Effect.acquireRelease(
    attempt("write", path, () => fs.openSync(parent.at(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode)),
    (held) =>
      Effect.zipRight(
        Effect.sync(() => fs.closeSync(held)),
        removed
      )
  )
  return { name, descriptor }
})

/** Permissions stay, without set-user and set-group bits; the owner stays where we may give files away. */
const keepMode = (descriptor: number, path: string, before: fs.BigIntStats) =>
  attempt("write", path, () => {
    const own = fs.fstatSync(descriptor, { bigint: true })
    if (own.uid !== before.uid || own.gid !== before.gid) {
      try {
        fs.fchownSync(descriptor, Number(before.uid), Number(before.gid))
      } catch (cause) {
        if (errnoOf(cause) !== "EPERM") throw cause
      }
    }
    fs.fchmodSync(descriptor, Number(before.mode & 0o777n))
  })

const unlinkable = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"])

/** Gives a file a name that nothing has yet: atomic where the file system has hard links. */
export const claim = (path: string, from: string, to: string): Effect.Effect<void, FileFailure | StaleFile> =>
  attempt("create", path, () => {
    try {
      fs.linkSync(from, to)
    } catch (cause) {
      if (!unlinkable.has(errnoOf(cause)) || fs.lstatSync(to, { throwIfNoEntry: false }) !== undefined) throw cause
      fs.renameSync(from, to)
    }
  }).pipe(
    Effect.mapError((failure) =>
      failure.code === "EEXIST" ? new StaleFile({ path, expected: null, actual: "another file" }) : failure
    )
  )

/**
 * Replaces or creates a file as a whole: whoever reads it, or looks after a crash, finds the old content or the new.
 * Missing parents inside a root are created. Permissions are kept; extended attributes are not. A file with several
 * names gets a new inode, so its other names keep the old content. Between the last comparison and the rename another
 * process can still win; there is no compare-and-rename to prevent it.
 */
export const write = (
  judged: JudgedPath<"write">,
  bytes: Uint8Array,
  options: WriteOptions = {}
): Effect.Effect<Written, ChangeFailed> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { path, context } = judged
      const { directory, name } = split(path)
      const anchored = isAnchored(context.platform)
      const parent = yield* open("write", directory, { anchored, createWithin: context.roots })
      const before = yield* inspect("write", parent, name, context, options.base)
      if (before !== undefined) {
        yield* attempt("write", path, () => fs.accessSync(parent.at(name), fs.constants.W_OK))
      }
      const temp = yield* temporary(parent, path, before === undefined ? 0o666 : 0o600)
      yield* writeWhole(temp.descriptor, path, bytes)
      const { mode } = options
      if (before !== undefined) yield* keepMode(temp.descriptor, path, before)
      if (mode !== undefined) yield* attempt("write", path, () => fs.fchmodSync(temp.descriptor, mode & 0o777))
      yield* settle<void>("save", path, (done) => fs.fsync(temp.descriptor, (cause) => done(cause, undefined)))
      yield* Effect.uninterruptible(
        Effect.gen(function* () {
          yield* confirm("write", parent, name, before)
          yield* before === undefined
            ? claim(path, parent.at(temp.name), parent.at(name))
            : attempt("write", path, () => fs.renameSync(parent.at(temp.name), parent.at(name)))
          yield* sync(parent)
        })
      )
      return {
        change: before === undefined ? ("created" as const) : ("modified" as const),
        path,
        size: bytes.length,
        previousSize: Number(before?.size ?? 0n),
        sha256: sha256(bytes),
        otherNames: Number((before?.nlink ?? 1n) - 1n)
      }
    })
  )
