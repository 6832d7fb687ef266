import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { FileFailure, FileTooLarge, StaleFile } from "../policy/path/FileFailure.ts"
import { judge } from "../policy/path/PathPolicy.ts"
import { PathRefused } from "../policy/path/PathRefused.ts"
import * as Tool from "../tool/Tool.ts"
import { asksFor, confirmed, preview, type ChangePlan } from "./files/ChangePlan.ts"
import { fileState } from "./files/FileState.ts"
import { encodeText } from "./files/FileText.ts"
import { EditorFileFailed } from "./files/EditorFiles.ts"
import { ChangeAborted, noteOf, perform } from "./files/perform.ts"
import { Workspace } from "./Workspace.ts"

const parameters = Schema.Struct({
  path: Schema.String.annotations({ description: "The file, relative to the workspace or absolute." }),
  content: Schema.String.annotations({ description: "The whole new content of the file." })
})

const plan = ({ content, path }: typeof parameters.Type) =>
  Effect.gen(function* () {
    const { context } = yield* Workspace
    const judged = yield* judge(path, "write", context)
    const before = yield* fileState(path, context)
    const bytes = encodeText({ text: content, encoding: before?.text?.encoding ?? "utf-8" })
    return [{ kind: "write", judged, before, text: content, bytes }] satisfies ChangePlan
  })

export const WriteFile = Tool.make("write_file", {
  description:
    "Creates a file, with its directories, or replaces all of its content. To change a part of a file use edit_file. " +
    "The user sees the difference and decides.",
  label: "Write file",
  category: "files",
  parameters,
  success: Schema.String,
  failure: Schema.Union(PathRefused, FileFailure, FileTooLarge, StaleFile, ChangeAborted, EditorFileFailed),
  touches: ({ path }) => ({ paths: [{ path, op: "write" }], complete: true }),
  approval: ({ path }) =>
    Effect.gen(function* () {
      const { context } = yield* Workspace
      return asksFor([yield* judge(path, "write", context)])
    }),
  preview: (params) =>
    Effect.gen(function* () {
      const { shown } = yield* Workspace
      return { ...preview(yield* plan(params), shown), shows: ["path", "content"] }
    }),
  handler: (params, call) =>
    Effect.gen(function* () {
      const { shown } = yield* Workspace
      const [report] = yield* perform(yield* confirmed(yield* plan(params), call), call, shown)
      if (report === undefined) return `${params.path} has this content already`
      return `${report.change} ${shown(report.path)} (${report.size} ${report.size === 1 ? "byte" : "bytes"})${noteOf(report)}`
    })
})
