import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { FileFailure, FileTooLarge, StaleFile } from "../policy/path/FileFailure.ts"
import { PathRefused } from "../policy/path/PathRefused.ts"
import * as Tool from "../tool/Tool.ts"
import { PatchFailed } from "./files/ApplyPatch.ts"
import { asksForPlan, confirmed, preview } from "./files/ChangePlan.ts"
import { parsePatch, PatchInvalid, patchTargets } from "./files/Patch.ts"
import { patchPlan } from "./files/PatchPlan.ts"
import { EditorFileFailed } from "./files/EditorFiles.ts"
import { ChangeAborted, noteOf, perform } from "./files/perform.ts"
import { Workspace } from "./Workspace.ts"

const parameters = Schema.Struct({
  patch: Schema.String.annotations({
    description:
      "Either a unified diff with `--- a/name` and `+++ b/name`, or `*** Begin Patch`, parts that begin with `*** Add File: " +
      "name`, `*** Update File: name` or `*** Delete File: name`, and `*** End Patch`."
  })
})

export const ApplyPatch = Tool.make("apply_patch", {
  description:
    "Changes, adds, moves and deletes several files at once, all or none of them. The user sees the difference and decides.",
  label: "Apply patch",
  category: "files",
  parameters,
  success: Schema.String,
  failure: Schema.Union(
    PathRefused,
    FileFailure,
    FileTooLarge,
    StaleFile,
    PatchInvalid,
    PatchFailed,
    ChangeAborted,
    EditorFileFailed
  ),
  touches: ({ patch }) =>
    Either.match(parsePatch(patch), { onLeft: () => undefined, onRight: (steps) => ({ paths: patchTargets(steps) }) }),
  approval: ({ patch }) =>
    Effect.gen(function* () {
      const { context } = yield* Workspace
      return asksForPlan(yield* patchPlan(patch, context))
    }),
  preview: ({ patch }) =>
    Effect.gen(function* () {
      const { context, shown } = yield* Workspace
      return { ...preview(yield* patchPlan(patch, context), shown), shows: ["patch"] }
    }),
  handler: ({ patch }, call) =>
    Effect.gen(function* () {
      const { context, shown } = yield* Workspace
      const plan = yield* confirmed(yield* patchPlan(patch, context), call)
      const reports = yield* perform(plan, call, shown)
      if (reports.length === 0) return "[the files already match the patch]"
      return reports
        .map((report) => {
          const { change, oldPath, path } = report
          const what =
            oldPath === undefined ? `${change} ${shown(path)}` : `${change} ${shown(oldPath)} to ${shown(path)}`
          return `${what}${noteOf(report)}`
        })
        .join("\n")
    })
})
