import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Base } from "../../policy/path/Base.ts"
import { read } from "../../policy/path/FileReader.ts"
import type { PathContext } from "../../policy/path/PathContext.ts"
import { judge, type JudgedPath } from "../../policy/path/PathPolicy.ts"
import { decodeText, type FileText } from "./FileText.ts"

/** The content of a file before a change. */
export interface FileState {
  /** Absolute, every symlink resolved. */
  readonly path: string
  readonly judged: JudgedPath<"read">
  readonly bytes: Uint8Array
  readonly sha256: string
  /** The permission bits. */
  readonly mode: number
  /** Undefined where the bytes are not text. */
  readonly text: FileText | undefined
}

/** Reads a file before its change; undefined if it does not exist. */
export const fileState = Effect.fnUntraced(function* (path: string, context: PathContext) {
  const judged = yield* judge(path, "read", context)
  if (!judged.exists) return undefined
  const { bytes, mode, sha256 } = yield* read(judged)
  return {
    path: judged.path,
    judged,
    bytes,
    sha256,
    mode,
    text: Either.getOrUndefined(decodeText(bytes))
  } satisfies FileState
})

export const baseOf = (state: FileState | undefined): Base => Option.fromNullable(state?.sha256)
