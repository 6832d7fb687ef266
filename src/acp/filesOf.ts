import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { duration } from "../text/duration.ts"
import { EditorFileFailed, type FilesOfEditor } from "../tools/files/EditorFiles.ts"
import { type Editor, type EditorFailed, reasonOf } from "./Editor.ts"
import { codes } from "./Refused.ts"

/** How long an editor may take for a file. */
const patience = Duration.seconds(30)

/** Characters of a file that is taken from an editor. */
const longest = 16 * 1024 * 1024

/** Waits for the editor no longer than it may take. */
const bounded =
  (operation: EditorFileFailed["operation"], path: string) =>
  <A>(self: Effect.Effect<A, EditorFailed>): Effect.Effect<A, EditorFailed | EditorFileFailed> =>
    Effect.timeoutFail(self, {
      duration: patience,
      onTimeout: () =>
        new EditorFileFailed({
          operation,
          path,
          reason: `it gave no answer within ${duration(Duration.toMillis(patience))}`,
          outcome: "unknown"
        })
    })

const failedBy = (operation: EditorFileFailed["operation"], path: string, failure: EditorFailed) =>
  new EditorFileFailed({
    operation,
    path,
    reason: reasonOf(failure),
    outcome: failure.code === undefined ? "unknown" : "unchanged"
  })

const faultOf = (text: unknown): string | undefined => {
  if (typeof text !== "string") return "its answer has no text"
  if (text.length > longest) return `its text has more than ${longest} characters`
  return text.includes("\0") ? "it is not a text" : undefined
}

/** The files of an editor below the directory of a session of it; nothing where it gives none. */
export const filesOf = (
  { can, readText, writeText }: Editor,
  session: string,
  directory: string
): FilesOfEditor | undefined =>
  can.reads || can.writes
    ? {
        directory,
        read: can.reads
          ? (path) =>
              readText(session, path).pipe(
                bounded("read", path),
                Effect.flatMap((text) => {
                  const fault = faultOf(text)
                  return fault === undefined
                    ? Effect.succeedSome(text.replace(/^\uFEFF/, ""))
                    : new EditorFileFailed({ operation: "read", path, reason: fault, outcome: "unchanged" })
                }),
                Effect.catchTag("EditorFailed", (failure) =>
                  failure.code === codes.notFound ? Effect.succeedNone : failedBy("read", path, failure)
                )
              )
          : undefined,
        write: can.writes
          ? (path, text) =>
              writeText(session, path, text).pipe(
                bounded("write", path),
                Effect.catchTag("EditorFailed", (failure) => failedBy("write", path, failure))
              )
          : undefined
      }
    : undefined
