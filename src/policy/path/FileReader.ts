import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { openFile, readRange, readWhole, sha256, type OpenFile } from "./Content.ts"
import { isAnchored, open } from "./Directory.ts"
import type { FileFailure, FileTooLarge } from "./FileFailure.ts"
import type { JudgedPath } from "./PathPolicy.ts"
import type { PathRefused } from "./PathRefused.ts"
import { split } from "./PathText.ts"

/** Bytes read at once unless told otherwise. */
export const defaultLimit = 16 * 1024 * 1024

export interface FileContent {
  readonly bytes: Uint8Array
  /** Of all the bytes, lower-case hexadecimal: the base that a later change names. */
  readonly sha256: string
  /** The permission bits. */
  readonly mode: number
}

export interface FilePart {
  readonly bytes: Uint8Array
  /** Of the whole file, in bytes. */
  readonly size: number
}

const file = (judged: JudgedPath<"read" | "grep">): Effect.Effect<OpenFile, PathRefused | FileFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const { directory, name } = split(judged.path)
    const parent = yield* open(judged.op, directory, { anchored: isAnchored(judged.context.platform) })
    return yield* openFile(judged.op, parent, name, judged.context)
  })

/** Reads a whole regular file of at most `limit` bytes. Never waits for a pipe, never follows a symlink. */
export const read = (
  judged: JudgedPath<"read" | "grep">,
  options: { readonly limit?: number } = {}
): Effect.Effect<FileContent, PathRefused | FileFailure | FileTooLarge> =>
  Effect.scoped(
    Effect.gen(function* () {
      const opened = yield* file(judged)
      const bytes = yield* readWhole(opened, options.limit ?? defaultLimit)
      return { bytes, sha256: sha256(bytes), mode: Number(opened.stat.mode & 0o777n) }
    })
  )

/** Reads at most `length` bytes from byte `position` on, of a file of any size. */
export const readPart = (
  judged: JudgedPath<"read" | "grep">,
  position: number,
  length: number
): Effect.Effect<FilePart, PathRefused | FileFailure> =>
  Effect.scoped(
    Effect.gen(function* () {
      const opened = yield* file(judged)
      const bytes = yield* readRange(opened, Math.max(0, position), Math.min(Math.max(0, length), defaultLimit))
      return { bytes, size: Number(opened.stat.size) }
    })
  )
