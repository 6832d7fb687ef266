import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import { deny } from "../Verdict.ts"
import { changed, type Directory } from "./Directory.ts"
import { attempt, FileTooLarge, settle, type FileFailure } from "./FileFailure.ts"
import { isLinkToProtected } from "./HardLink.ts"
import type { PathContext } from "./PathContext.ts"
import { PathRefused } from "./PathRefused.ts"
import { kindOf } from "./PhysicalPath.ts"

const { O_NOCTTY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = fs.constants

/** Between two pieces of this size, in bytes, an interruption is heeded. */
const piece = 256 * 1024

export const sha256 = (bytes: Uint8Array): string => crypto.createHash("sha256").update(bytes).digest("hex")

export interface OpenFile {
  readonly descriptor: number
  readonly stat: fs.BigIntStats
  readonly path: string
}

/** Opens an entry for reading if it is a regular file, without ever waiting for one that is not. */
export const openFile = (
  operation: string,
  directory: Directory,
  name: string,
  context: PathContext
): Effect.Effect<OpenFile, PathRefused | FileFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const path = directory.path === "/" ? `/${name}` : `${directory.path}/${name}`
    const descriptor = yield* Effect.acquireRelease(
      attempt(operation, path, () => fs.openSync(directory.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)),
      (held) => Effect.sync(() => fs.closeSync(held))
    ).pipe(
      Effect.mapError((failure): PathRefused | FileFailure =>
        failure.code === "ELOOP" ? changed(operation, path) : failure
      )
    )
    yield* directory.verify(operation)
    const stat = yield* attempt(operation, path, () => fs.fstatSync(descriptor, { bigint: true }))
    if (!stat.isFile()) {
      const verdict = deny("path/not-regular", `it is a ${kindOf(stat)}; only regular files are opened`)
      return yield* new PathRefused({ operation, path, verdict })
    }
    if (isLinkToProtected(stat, context)) {
      const verdict = deny("path/hard-link", "it is another name of a protected file")
      return yield* new PathRefused({ operation, path, verdict })
    }
    return { descriptor, stat, path }
  })

const readPiece = (file: OpenFile, position: number, length: number): Effect.Effect<Uint8Array, FileFailure> =>
  Effect.suspend(() => {
    const buffer = new Uint8Array(length)
    return Effect.map(
      settle<number>("read", file.path, (done) => fs.read(file.descriptor, buffer, 0, length, position, done)),
      (count) => buffer.subarray(0, count)
    )
  })

/** Up to `length` bytes from `position` on; fewer only where the file ends. */
export const readRange = Effect.fnUntraced(function* (file: OpenFile, position: number, length: number) {
  const pieces: Array<Uint8Array> = []
  let count = 0
  while (count < length) {
    const next = yield* readPiece(file, position + count, Math.min(piece, length - count))
    if (next.length === 0) break
    pieces.push(next)
    count += next.length
  }
  return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : new Uint8Array(Buffer.concat(pieces, count))
})

/** The whole of a file that has at most `limit` bytes, also if it grows while it is read. */
export const readWhole = Effect.fnUntraced(function* (file: OpenFile, limit: number) {
  const size = Number(file.stat.size)
  if (size > limit) return yield* new FileTooLarge({ path: file.path, size, limit })
  const bytes = yield* readRange(file, 0, Math.min(limit, size) + 1)
  if (bytes.length <= size) return bytes
  const rest = yield* readRange(file, bytes.length, limit + 1 - bytes.length)
  const total = bytes.length + rest.length
  if (total > limit) return yield* new FileTooLarge({ path: file.path, size: total, limit })
  return new Uint8Array(Buffer.concat([bytes, rest]))
})

export const writeWhole = Effect.fnUntraced(function* (descriptor: number, path: string, bytes: Uint8Array) {
  let position = 0
  while (position < bytes.length) {
    const from = position
    const length = Math.min(piece, bytes.length - from)
    position += yield* settle<number>("write", path, (done) => fs.write(descriptor, bytes, from, length, from, done))
  }
})
