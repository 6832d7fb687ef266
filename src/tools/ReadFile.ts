import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { FileFailure, FileTooLarge } from "../policy/path/FileFailure.ts"
import { PathRefused } from "../policy/path/PathRefused.ts"
import * as Tool from "../tool/Tool.ts"
import * as Access from "./files/Access.ts"
import { EditorFileFailed } from "./files/EditorFiles.ts"
import { unsavedText } from "./files/FileState.ts"
import { NotText } from "./files/FileText.ts"
import { linesOf, readLines, type LineWindow } from "./files/LineWindow.ts"
import { optionalCount } from "./Parameter.ts"

const mostLines = 2000

const parameters = Schema.Struct({
  path: Schema.String.annotations({ description: "The file, relative to the workspace or absolute." }),
  offset: optionalCount(1, 100_000_000, "The first line to read, from 1. Default: 1."),
  column: optionalCount(1, 1_000_000_000, "The character of that line to start at, for a long line. Default: 1."),
  limit: optionalCount(1, mostLines, `How many lines to read. Default and maximum: ${mostLines}.`)
})

const access = Access.make("read", ({ path }: typeof parameters.Type) => path)

const render = ({ cut, first, lines, total, western }: LineWindow): string => {
  if (lines.length === 0) {
    return total === 0 ? "[the file is empty]" : `[the file has ${total ?? 0} lines; offset ${first} is past the end]`
  }
  const last = first + lines.length - 1
  const more = total === undefined || last < total
  const notes = [
    ...(more
      ? [`lines ${first} to ${last}${total === undefined ? "" : ` of ${total}`}; continue with offset ${last + 1}`]
      : []),
    ...(cut > 0 ? [`${cut} long ${cut === 1 ? "line was" : "lines were"} shortened`] : []),
    ...(western ? ["the file is not UTF-8: it is shown as windows-1252; convert it before you edit it"] : [])
  ]
  return lines.join("\n") + (notes.length === 0 ? "" : `\n[${notes.join("; ")}]`)
}

export const ReadFile = Tool.make("read_file", {
  description:
    "Reads a text file as it is, without line numbers. Long files come in pages: the last line of the answer then says " +
    "at which offset to continue. Binary files are refused.",
  label: "Read file",
  category: "files",
  parameters,
  success: Schema.String,
  failure: Schema.Union(PathRefused, FileFailure, FileTooLarge, NotText, EditorFileFailed),
  readOnly: true,
  touches: ({ path }) => ({ paths: [{ path, op: "read" }], complete: true }),
  approval: access.approval,
  preview: access.preview,
  handler: (params, call) =>
    Effect.gen(function* () {
      const judged = yield* access.open(params, call)
      const from = { line: params.offset ?? 1, column: params.column ?? 1 }
      const limit = params.limit ?? mostLines
      const unsaved = yield* unsavedText(judged)
      return render(
        Option.isSome(unsaved) ? linesOf(unsaved.value, from, limit) : yield* readLines(judged, from, limit)
      )
    })
})
