import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { FileFailure } from "../policy/path/FileFailure.ts"
import { compile, GlobInvalid } from "../policy/path/Glob.ts"
import { globBase } from "../policy/path/GlobBase.ts"
import { PathRefused } from "../policy/path/PathRefused.ts"
import { walk } from "../policy/path/Walk.ts"
import * as Tool from "../tool/Tool.ts"
import * as Access from "./files/Access.ts"
import * as Budget from "./files/Budget.ts"
import * as GitIgnore from "./files/GitIgnore.ts"
import { Withheld } from "./files/Withheld.ts"
import { optional } from "./Parameter.ts"
import { Workspace } from "./Workspace.ts"

const limits: Budget.Limits = { found: 1000, text: 64 * 1024, files: 200_000, millis: 20_000 }

const parameters = Schema.Struct({
  pattern: Schema.String.annotations({
    description: "E.g. `**/*.ts` for every TypeScript file, `src/*.{js,ts}` for those directly in src."
  }),
  path: optional(Schema.String, "The directory to look in. Default: the workspace.")
})

const literally = (path: string): string => path.replaceAll(/[\\*?[\]{}]/g, "\\$&")

const patternOf = ({ path, pattern }: typeof parameters.Type): string =>
  path === undefined || path === "." || pattern.startsWith("/") ? pattern : `${literally(path)}/${pattern}`

const access = Access.make("glob", patternOf)

/** The part of a pattern below the directory that all matches lie in. */
const below = (pattern: string): string => {
  const base = Either.getOrElse(globBase(pattern), () => ".")
  const prefix = base === "/" ? "/" : `${base}/`
  return pattern.startsWith(prefix) ? pattern.slice(prefix.length) : pattern
}

export const Glob = Tool.make("glob", {
  description:
    "Finds files by a pattern of their path: `*` and `?` within a name, `**` for any directories, `{a,b}` and `[a-z]`. " +
    "Files that .gitignore excludes are left out, except in a directory that you name, and so are files that the user's rules withhold.",
  label: "Find files",
  category: "files",
  parameters,
  success: Schema.String,
  failure: Schema.Union(PathRefused, FileFailure, GlobInvalid),
  readOnly: true,
  touches: (params) =>
    Either.match(globBase(patternOf(params)), {
      onLeft: () => undefined,
      onRight: (path) => ({ paths: [{ path, op: "list", below: "unwithheld" }], complete: true })
    }),
  approval: access.approval,
  preview: access.preview,
  handler: (params, call) =>
    Effect.gen(function* () {
      const { context, shown } = yield* Workspace
      const judged = yield* access.open(params, call)
      const matches = yield* compile(below(patternOf(params)))
      const budget = yield* Budget.make(limits)
      const found: Array<string> = []
      const withheld = new Withheld(call)
      const ignored = GitIgnore.skip(context.roots, judged.path)
      yield* walk(judged, { skip: (entry) => ignored(entry) || withheld.has(entry.path) }).pipe(
        Stream.runForEachWhile(({ kind, path, relative }) =>
          Effect.sync(() => {
            budget.files++
            if (kind !== "directory" && matches(relative)) {
              const name = shown(path)
              found.push(name)
              budget.found++
              budget.text += name.length + 1
            }
            return budget.spent === undefined
          })
        )
      )
      const notes = [
        ...withheld.notes,
        ...(budget.spent === undefined ? [] : [`[${budget.spent}; narrow the pattern]`])
      ]
      return [...(found.length === 0 ? [`[no file matches ${patternOf(params)}]`] : found), ...notes].join("\n")
    })
})
