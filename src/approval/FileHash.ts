import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as crypto from "node:crypto"
import * as fs from "node:fs/promises"
import { errnoOf } from "../system/errno.ts"

/**
 * A file that says what a command does: its SHA-256 in hexadecimal, and its text; `null` if it does not exist. Unknown
 * by default, and then an answer to such a command holds once only.
 */
export class FileHash extends Context.Reference<FileHash>()("tollgate/approval/FileHash", {
  defaultValue: (): {
    readonly hash: (path: string) => Effect.Effect<string | null | undefined>
    readonly text: (path: string) => Effect.Effect<string | null | undefined>
  } => ({ hash: () => Effect.succeed(undefined), text: () => Effect.succeed(undefined) })
}) {
  /** Of the files of this machine, where commands run on it. */
  static readonly layerLocal: Layer.Layer<FileHash> = Layer.succeed(FileHash, {
    hash: (path) => read(path, (bytes) => crypto.createHash("sha256").update(bytes).digest("hex")),
    text: (path) => read(path, (bytes) => bytes.toString("utf8"))
  })
}

/** Bytes; a larger file was not written by hand. */
const maxSize = 4 * 1024 * 1024

const isAbsent = (error: unknown): boolean => ["ENOENT", "ENOTDIR"].includes(errnoOf(error))

const read = <A>(path: string, use: (bytes: Buffer) => A): Effect.Effect<A | null | undefined> =>
  Effect.gen(function* () {
    // What is not a regular file is not opened: a pipe would block.
    const found = yield* Effect.tryPromise(() => fs.stat(path))
    if (!found.isFile() || found.size > maxSize) return undefined
    return use(yield* Effect.tryPromise(() => fs.readFile(path)))
  }).pipe(Effect.catchAll(({ error }) => Effect.succeed(isAbsent(error) ? null : undefined)))
