import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { FileFailure } from "../policy/path/FileFailure.ts"
import { read } from "../policy/path/FileReader.ts"
import { compile, GlobInvalid } from "../policy/path/Glob.ts"
import type { JudgedPath } from "../policy/path/PathPolicy.ts"
import { PathRefused } from "../policy/path/PathRefused.ts"
import { walk } from "../policy/path/Walk.ts"
import * as Tool from "../tool/Tool.ts"
import { progress } from "../tool/ToolCall.ts"
import * as Access from "./files/Access.ts"
import * as Budget from "./files/Budget.ts"
import { decodeText } from "./files/FileText.ts"
import * as GitIgnore from "./files/GitIgnore.ts"
import { matcher, PatternInvalid, searchText } from "./files/Search.ts"
import { Withheld } from "./files/Withheld.ts"
import { optional, optionalCount } from "./Parameter.ts"
import { Workspace } from "./Workspace.ts"

const mostResults = 1000

/** Larger files are passed over, in bytes. */
const maxFile = 4 * 1024 * 1024

const parameters = Schema.Struct({
  pattern: Schema.String.annotations({ description: "A regular expression in RE2 syntax, matched within lines." }),
  path: optional(Schema.String, "The file or directory to search. Default: the workspace."),
  include: optional(
    Schema.Array(Schema.String),
    "Search only files that match one of these, e.g. `*.ts` or `src/**/*.md`."
  ),
  ignore_case: optional(Schema.Boolean, "Ignore case. Default: false."),
  context: optionalCount(0, 10, "Lines to show before and after each match. Default: 0."),
  max_results: optionalCount(1, mostResults, "Matching lines after which to stop. Default: 200.")
})

const access = Access.make("grep", ({ path }: typeof parameters.Type) => path ?? ".")

/** A pattern without a slash is about the name alone. */
const filter = (globs: ReadonlyArray<string>): Either.Either<(relative: string) => boolean, GlobInvalid> =>
  Either.map(
    Either.all(globs.map((glob) => compile(glob.includes("/") ? glob : `**/${glob}`))),
    (all) => (relative) => all.length === 0 || all.some((matches) => matches(relative))
  )

/** The text of a file, or why it is passed over. */
const textOf = (judged: JudgedPath<"read" | "grep">) =>
  read(judged, { limit: maxFile }).pipe(
    Effect.map(({ bytes }) =>
      Either.mapBoth(decodeText(bytes), { onLeft: () => "binary", onRight: ({ text }) => text })
    ),
    Effect.catchTag("FileTooLarge", () => Effect.succeed(Either.left("too large")))
  )

export const Grep = Tool.make("grep", {
  description:
    "Searches the contents of files for lines that match a regular expression; answers `path:line:text`. Skips what .gitignore " +
    "excludes, binary files, files over 4 MiB, files that usually hold secrets, and files that the user's rules withhold.",
  label: "Search in files",
  category: "files",
  parameters,
  success: Schema.String,
  failure: Schema.Union(PathRefused, FileFailure, GlobInvalid, PatternInvalid),
  readOnly: true,
  touches: ({ path = "." }) => ({ paths: [{ path, op: "read", below: "unwithheld" }], complete: true }),
  approval: access.approval,
  preview: access.preview,
  handler: (params, call) =>
    Effect.gen(function* () {
      const { context, shown } = yield* Workspace
      const matches = yield* matcher(params.pattern, params.ignore_case ?? false)
      const included = yield* filter(params.include ?? [])
      const judged = yield* access.open(params, call)
      const budget = yield* Budget.make({
        found: params.max_results ?? 200,
        text: 64 * 1024,
        files: 100_000,
        millis: 30_000
      })
      const withheld = new Withheld(call)
      const found: Array<string> = []
      const search = (path: string, text: string) =>
        Effect.map(searchText(shown(path), text, matches, params.context ?? 0, budget), (lines) => {
          if (lines.length === 0) return
          if (found.length > 0 && (params.context ?? 0) > 0) found.push("--")
          for (const line of lines) found.push(line)
        })
      if (judged.kind === "file") {
        const text = yield* textOf(judged)
        if (Either.isLeft(text)) return `[${shown(judged.path)} is ${text.left} and was not searched]`
        yield* search(judged.path, text.right)
      } else {
        const ignored = GitIgnore.skip(context.roots, judged.path)
        yield* walk(judged, { skip: (entry) => ignored(entry) || withheld.has(entry.path) }).pipe(
          Stream.runForEachWhile(({ kind, path, relative }) =>
            Effect.gen(function* () {
              if (kind !== "file" || !included(relative)) return true
              const file = Access.within(path, judged)
              if (file === undefined) return true
              if (++budget.files % 1000 === 0) yield* progress(call, { label: "files searched", current: budget.files })
              const text = yield* Effect.orElseSucceed(textOf(file), () => Either.left("unreadable"))
              if (Either.isRight(text)) yield* search(path, text.right)
              return budget.spent === undefined
            })
          )
        )
      }
      const notes = [...withheld.notes, ...(budget.spent === undefined ? [] : [`[${budget.spent}; narrow the search]`])]
      return found.length === 0 ? ["[no line matches]", ...notes].join("\n") : [...found, ...notes].join("\n")
    })
})
