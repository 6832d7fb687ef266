import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { FileFailure } from "../policy/path/FileFailure.ts"
import { PathRefused } from "../policy/path/PathRefused.ts"
import { list, type DirectoryEntry } from "../policy/path/Walk.ts"
import * as Tool from "../tool/Tool.ts"
import * as Access from "./files/Access.ts"
import { Withheld } from "./files/Withheld.ts"
import { optional } from "./Parameter.ts"

const most = 1000

const parameters = Schema.Struct({
  path: optional(Schema.String, "The directory, relative to the workspace or absolute. Default: the workspace.")
})

const access = Access.make("list", ({ path }: typeof parameters.Type) => path ?? ".")

const marks: Partial<Record<DirectoryEntry["kind"], string>> = { directory: "/", symlink: "@", file: "" }

export const ListDir = Tool.make("list_dir", {
  description:
    "Lists what is in one directory, hidden and ignored files included, by name. Directories end in `/`, symlinks in `@`.",
  label: "List directory",
  category: "files",
  parameters,
  success: Schema.String,
  failure: Schema.Union(PathRefused, FileFailure),
  readOnly: true,
  touches: ({ path = "." }) => ({ paths: [{ path, op: "list" }], complete: true }),
  approval: access.approval,
  preview: access.preview,
  handler: (params, call) =>
    Effect.gen(function* () {
      const directory = yield* access.open(params, call)
      const { entries, truncated } = yield* list(directory, { limit: most })
      if (entries.length === 0) return "[the directory is empty]"
      const withheld = new Withheld(call)
      const above = directory.path === "/" ? "" : directory.path
      const names = entries
        .filter(({ name }) => !withheld.has(`${above}/${name}`))
        .map(({ kind, name }) => `${name}${marks[kind] ?? ` [${kind}]`}`)
      return [
        ...names,
        ...withheld.notes,
        ...(truncated ? [`[more than ${most} entries; use glob to narrow it down]`] : [])
      ].join("\n")
    })
})
