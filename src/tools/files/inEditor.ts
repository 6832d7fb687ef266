import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { readBy } from "../../policy/path/HeldFile.ts"
import type { JudgedPath } from "../../policy/path/PathPolicy.ts"
import { isWithin } from "../../policy/path/PathText.ts"
import { EditorFiles, type FilesOfEditor } from "./EditorFiles.ts"

/** The editor of a place; nothing where the disk alone is used. */
export const editorOf = (path: string): Effect.Effect<FilesOfEditor | undefined> =>
  Effect.map(EditorFiles, (editor) => (editor !== undefined && isWithin(path, editor.directory) ? editor : undefined))

const linesOf = (text: string): string => text.replaceAll("\r\n", "\n")

/** Whether texts differ in more than how their lines end, which editors keep apart from a text. */
export const differs = (one: string, other: string): boolean => one !== other && linesOf(one) !== linesOf(other)

/** The text of a judged file in its editor; nothing where no editor has it. */
export const textInEditor = (judged: JudgedPath<"read">) =>
  Effect.gen(function* () {
    const read = (yield* editorOf(judged.path))?.read
    if (read === undefined) return Option.none<string>()
    if (judged.exists) return yield* readBy(judged, read)
    // Editors say in many ways that there is no such file, and one that was never saved is rare.
    const found = yield* Effect.option(readBy(judged, read))
    return Option.filter(Option.flatten(found), (text) => text !== "")
  })
