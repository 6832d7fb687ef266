import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { FileFailure, FileTooLarge, StaleFile } from "../policy/path/FileFailure.ts"
import { judge } from "../policy/path/PathPolicy.ts"
import { PathRefused } from "../policy/path/PathRefused.ts"
import * as Tool from "../tool/Tool.ts"
import { asksFor, confirmed, preview } from "./files/ChangePlan.ts"
import { EditFailed, editText } from "./files/EditText.ts"
import { fileState } from "./files/FileState.ts"
import { decodeText, encodeText, NotText } from "./files/FileText.ts"
import { EditorFileFailed } from "./files/EditorFiles.ts"
import { ChangeAborted, noteOf, perform } from "./files/perform.ts"
import { optionalCount } from "./Parameter.ts"
import { Workspace } from "./Workspace.ts"

const parameters = Schema.Struct({
  path: Schema.String.annotations({ description: "The file, relative to the workspace or absolute." }),
  old_text: Schema.String.annotations({
    description: "The exact text to replace, with its indentation and enough lines around it to be unique."
  }),
  new_text: Schema.String.annotations({ description: "The replacement; empty to delete the text." }),
  count: optionalCount(1, 10_000, "How often old_text occurs; every occurrence is replaced. Default: 1.")
})

const plan = (params: typeof parameters.Type) =>
  Effect.gen(function* () {
    const { context } = yield* Workspace
    const judged = yield* judge(params.path, "write", context)
    const before = yield* fileState(params.path, context)
    if (before === undefined) {
      return yield* new FileFailure({ operation: "edit", path: params.path, code: "ENOENT" })
    }
    const { encoding, text } = yield* decodeText(before.bytes)
    const edited = yield* editText(text, params.old_text, params.new_text, params.count ?? 1)
    const bytes = encodeText({ text: edited.text, encoding })
    return { edited, changes: [{ kind: "write" as const, judged, before, text: edited.text, bytes }] }
  })

export const EditFile = Tool.make("edit_file", {
  description:
    "Replaces an exact text in a file. It must occur exactly once, or exactly as often as `count` says. The user sees the " +
    "difference and decides.",
  label: "Edit file",
  category: "files",
  parameters,
  success: Schema.String,
  failure: Schema.Union(
    PathRefused,
    FileFailure,
    FileTooLarge,
    StaleFile,
    NotText,
    EditFailed,
    ChangeAborted,
    EditorFileFailed
  ),
  touches: ({ path }) => ({ paths: [{ path, op: "write" }], complete: true }),
  approval: ({ path }) =>
    Effect.gen(function* () {
      const { context } = yield* Workspace
      // If the text is not found, the failure shows the nearest line.
      return asksFor([yield* judge(path, "write", context), yield* judge(path, "read", context)])
    }),
  preview: (params) =>
    Effect.gen(function* () {
      const { shown } = yield* Workspace
      return { ...preview((yield* plan(params)).changes, shown), shows: ["path", "old_text", "new_text"] }
    }),
  handler: (params, call) =>
    Effect.gen(function* () {
      const { shown } = yield* Workspace
      const { changes, edited } = yield* plan(params)
      const [report] = yield* perform(yield* confirmed(changes, call), call, shown)
      if (report === undefined) return `${params.path} has this content already`
      return `modified ${shown(report.path)} at line ${edited.lines.join(", ")}${noteOf(report)}`
    })
})
