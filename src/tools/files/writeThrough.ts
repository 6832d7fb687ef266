import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { FileContent } from "../../policy/path/FileReader.ts"
import { StaleFile } from "../../policy/path/FileFailure.ts"
import type { ChangeFailed } from "../../policy/path/FileWriter.ts"
import { hold } from "../../policy/path/HeldFile.ts"
import type { JudgedPath } from "../../policy/path/PathPolicy.ts"
import { EditorFileFailed, type FilesOfEditor } from "./EditorFiles.ts"
import type { FileState } from "./FileState.ts"
import { decodeText } from "./FileText.ts"
import { differs } from "./inEditor.ts"

/** Whether the editor has what the change was made for. */
const isSame = (now: Option.Option<string>, before: FileState | undefined): boolean =>
  Option.match(now, {
    onNone: () => before === undefined,
    onSome: (text) => (before === undefined ? text === "" : !differs(text, before.text?.text ?? ""))
  })

/** How a file was left that its editor has written: `content` is unset where the editor keeps it to itself, unsaved. */
export interface WrittenByEditor {
  readonly content: FileContent | undefined
  /** The editor has saved something else, as one does that formats what it saves. */
  readonly isOther: boolean
}

/**
 * Has the editor write a file that was judged and shown, by the checks of a local write: its directory is open meanwhile, reached without a
 * symlink, the file is what the change was made for, on the disk and in the editor, and what is at its path afterwards is what was
 * written. `asking` says how the editor is waited for.
 */
export const writeThrough = (
  judged: JudgedPath<"write">,
  text: string,
  before: FileState | undefined,
  { read, write }: FilesOfEditor & { readonly write: NonNullable<FilesOfEditor["write"]> },
  asking: <A, E>(self: Effect.Effect<A, E>) => Effect.Effect<A, E>
): Effect.Effect<WrittenByEditor, ChangeFailed | EditorFileFailed> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { path } = judged
      const known = before?.saved ?? null
      const held = yield* hold(judged, Option.fromNullable(known))
      const reading = read === undefined ? Effect.succeedNone : asking(read(path))
      if (read !== undefined) {
        const now = yield* before === undefined ? Effect.orElseSucceed(reading, () => Option.none()) : reading
        if (!isSame(now, before))
          return yield* new StaleFile({ path, expected: before?.sha256 ?? null, actual: "another text in the editor" })
      }
      yield* held.confirm
      yield* Effect.catchAll(asking(write(path, text)), (failed) =>
        Effect.flatMap(held.untouched, (isSame) =>
          isSame ? failed : new EditorFileFailed({ ...failed, outcome: "unknown" })
        )
      )
      const unsure = (reason: string) => new EditorFileFailed({ operation: "write", path, reason, outcome: "unknown" })
      const untouched = yield* held.untouched
      const content = untouched ? undefined : yield* Effect.mapError(held.content, ({ message }) => unsure(message))
      const saved = content === undefined ? undefined : Either.getOrUndefined(decodeText(content.bytes))?.text
      if (saved !== undefined && !differs(saved, text)) return { content, isOther: false }
      const now = Option.getOrUndefined(yield* reading)
      if (content === undefined) {
        if (now !== undefined && !differs(now, text)) return { content, isOther: false }
        return yield* unsure("it says that it has written it, and nothing has changed")
      }
      if (saved !== undefined && now !== undefined && content.sha256 !== known && !differs(saved, now))
        return { content, isOther: true }
      return yield* unsure("what is at its path afterwards is not what was written")
    })
  )
