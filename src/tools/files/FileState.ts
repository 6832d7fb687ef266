import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Base } from "../../policy/path/Base.ts"
import { sha256 as digestOf } from "../../policy/path/Content.ts"
import { read } from "../../policy/path/FileReader.ts"
import type { PathContext } from "../../policy/path/PathContext.ts"
import { judge, type JudgedPath } from "../../policy/path/PathPolicy.ts"
import { EditorFileFailed } from "./EditorFiles.ts"
import { decodeText, encodeText, type Encoding, type FileText } from "./FileText.ts"
import { differs, editorOf, textInEditor } from "./inEditor.ts"

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
  /** The SHA-256 of what is on the disk, which differs from the content where an editor has it unsaved; null for nothing. */
  readonly saved: string | null
  /** Whether its editor has it, which writes it as well. */
  readonly inEditor: boolean
}

/** The permission bits of a file that was never saved. */
const usual = 0o644

/** The state of a file whose editor has another text of it than the disk. */
const unsaved = (judged: JudgedPath<"read">, text: string, encoding: Encoding, mode: number, saved: string | null) => {
  const bytes = encodeText({ text, encoding })
  const sha256 = digestOf(bytes)
  return { path: judged.path, judged, bytes, sha256, mode, text: { text, encoding }, saved, inEditor: true } as const
}

/** Reads a file before its change, as its editor has it; undefined if it does not exist. */
export const fileState = Effect.fnUntraced(function* (path: string, context: PathContext) {
  const judged = yield* judge(path, "read", context)
  const editor = yield* editorOf(judged.path)
  if (!judged.exists) {
    const there = editor?.write === undefined ? Option.none() : yield* textInEditor(judged)
    return Option.isNone(there) ? undefined : unsaved(judged, there.value, "utf-8", usual, null)
  }
  const { bytes, mode, sha256 } = yield* read(judged)
  const state: FileState = {
    path: judged.path,
    judged,
    bytes,
    sha256,
    mode,
    text: Either.getOrUndefined(decodeText(bytes)),
    saved: sha256,
    inEditor: false
  }
  if (state.text === undefined || editor === undefined) return state
  const there = yield* textInEditor(judged)
  const canWrite = editor.write !== undefined && (editor.read === undefined || Option.isSome(there))
  if (Option.isNone(there) || !differs(state.text.text, there.value)) return { ...state, inEditor: canWrite }
  if (!canWrite) {
    const reason =
      "it has changes that are not saved, and writes no files for agents; ask the user to save or discard them"
    return yield* new EditorFileFailed({ operation: "write", path: judged.path, reason, outcome: "unchanged" })
  }
  return unsaved(judged, there.value, state.text.encoding, mode, sha256)
})

/** The text of a file that its editor has not saved; nothing where the disk has what there is. */
export const unsavedText = (judged: JudgedPath<"read">) =>
  Effect.gen(function* () {
    if ((yield* editorOf(judged.path)) === undefined) return Option.none<string>()
    if (!judged.exists) return yield* textInEditor(judged)
    const content = yield* Effect.option(read(judged))
    const saved = Option.flatMap(content, ({ bytes }) => Either.getRight(decodeText(bytes)))
    if (Option.isNone(saved)) return Option.none<string>()
    return Option.filter(yield* textInEditor(judged), (text) => differs(saved.value.text, text))
  })

export const baseOf = (state: FileState | undefined): Base => Option.fromNullable(state?.sha256)
