import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import type { Processes } from "../../process/Processes.ts"
import * as PathContext from "../path/PathContext.ts"
import { access, type PathOp } from "../path/PathOp.ts"
import { judgeLexical, judgeNow, type JudgedPath } from "../path/PathPolicy.ts"
import { protectedVerdict } from "../path/Protected.ts"
import { allow, deny, strictest, type Verdict } from "../Verdict.ts"
import * as Tree from "./Tree.ts"

const withDefault = <A, I>(schema: Schema.Schema<A, I>, value: A) =>
  Schema.optionalWith(schema, { exact: true, default: () => value })
const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/**
 * A path, what is done with it, and what is there before. For `glob` the path is the pattern, for `grep` what is searched
 * for; for `config` it is a setting, `roots=['/']` or `cwd='/home'`, and `deny` says that it is refused.
 */
export const PathInput = Schema.Struct({
  op: Schema.Literal("read", "write", "remove", "list", "glob", "grep", "patch", "config"),
  path: Schema.String,
  cwd: withDefault(Schema.String, "/w"),
  roots: withDefault(Schema.Array(Schema.String), ["/w"]),
  home: withDefault(Schema.String, "/home/u"),
  platform: optional(Schema.Literal("linux", "darwin", "win32")),
  fs: withDefault(Schema.Array(Tree.Entry), []),
  between: optional(Schema.Unknown),
  fault: optional(Schema.Unknown)
})
export type PathInput = typeof PathInput.Type

/** What cases call the directory of our own in a workspace. */
const ownNames = [".tollgate", ".agentrt"]

const setting = /^(?:(roots)|cwd)[^=]*=\s*(.*)$/
const Places = Schema.parseJson(Schema.Union(Schema.String, Schema.Array(Schema.String)))

const accepted = allow("path/boundary", "it can bound file access")

/** Sets the boundary as the case says, or changes the working directory inside of it. */
const configure = (input: PathInput, place: (name: string) => string, context: PathContext.PathContext) =>
  Effect.gen(function* () {
    const [, roots, text = ""] = setting.exec(input.path) ?? []
    const given = Schema.decodeEither(Places)(text.replaceAll("'", '"'))
    if (Either.isLeft(given)) {
      const reason = "write roots=['/a'] or cwd='/a'"
      return yield* new Tree.TreeUnbuildable({ kind: "setting", path: input.path, reason })
    }
    const places = [given.right].flat().map((name) => (name === "/" ? name : place(name)))
    const changed =
      roots === undefined
        ? PathContext.changeDirectory(context, places[0] ?? "")
        : PathContext.make({ ...context, roots: places })
    return yield* Effect.as(changed, accepted)
  })

/** What a patch does to which path, or why it cannot be read. */
export type PatchReader = (
  text: string
) => Either.Either<ReadonlyArray<{ readonly path: string; readonly op: PathOp }>, { readonly message: string }>

/** What cases about paths have in common. */
export interface Surroundings {
  /** What stands on the disk before each of them. */
  readonly fixture: ReadonlyArray<Tree.Entry>
  readonly readPatch: PatchReader
}

const contextOf = (input: PathInput, place: (name: string) => string): PathContext.PathContext => ({
  cwd: place(input.cwd),
  roots: input.roots.map(place),
  home: place(input.home),
  trusted: false,
  stateDirs: [...ownNames.map((name) => place(`${input.cwd}/${name}`)), place(`${input.home}/.local/state/tollgate`)],
  ...(input.platform === undefined ? {} : { platform: input.platform })
})

/** The verdict on a path and on where it leads under the names that the case has for them: `/etc/shadow` is that of the system. */
export const nominal = (path: string, judged: JudgedPath, input: PathInput, tree: Tree.Tree): Verdict => {
  const context = contextOf(input, (name) => name)
  const led = protectedVerdict(Tree.named(tree, judged.path), access(judged.op), context)
  const said = strictest(judged.verdict, judgeLexical(path, judged.op, context))
  return led === undefined ? said : strictest(said, led)
}

/** A case and where it stands on the disk. */
interface Standing {
  readonly input: PathInput
  readonly tree: Tree.Tree
  readonly context: PathContext.PathContext
}

const verdictOf = (path: string, op: PathOp, { context, input, tree }: Standing): Verdict =>
  Either.match(judgeNow(Tree.at(tree, path), op, context), {
    onLeft: (refused) => refused,
    onRight: (judged) => nominal(path, judged, input, tree)
  })

/** The strictest verdict on all that a patch changes. */
const judgePatch = (read: ReturnType<PatchReader>, standing: Standing): Verdict =>
  Either.match(read, {
    onLeft: ({ message }) => deny("path/patch-invalid", message),
    onRight: (targets) =>
      targets
        .map(({ op, path }) => verdictOf(path, op, standing))
        .reduce(strictest, allow("path/patch", "all that it changes may be changed"))
  })

/** Judges a path where the files of the case stand, by what it says and by where it leads. Nothing is opened. */
export const judgePath = (
  input: PathInput,
  { fixture, readPatch }: Surroundings
): Effect.Effect<Verdict, Tree.TreeUnbuildable, Processes> =>
  Effect.gen(function* () {
    const tree = yield* Tree.scoped
    const place = (name: string) => Tree.at(tree, name)
    yield* Tree.build(tree, [...fixture, ...input.fs])
    const missing = [input.cwd, input.home, ...input.roots].filter((name) => !fs.existsSync(place(name)))
    yield* Tree.build(tree, yield* directories(missing))
    const context = yield* PathContext.make(contextOf(input, place))
    const { op } = input
    if (op === "config") return yield* configure(input, place, context)
    const standing = { input, tree, context }
    if (op === "patch") return judgePatch(readPatch(input.path), standing)
    return verdictOf(op === "grep" ? "." : input.path, op, standing)
  }).pipe(
    Effect.catchTag("BoundaryInvalid", ({ message }) => Effect.succeed(deny("path/boundary", message))),
    Effect.scoped
  )

const directories = (names: ReadonlyArray<string>) =>
  Effect.mapError(
    Schema.decode(Schema.Array(Tree.Entry))(names.map((name) => ["dir", name] as const)),
    () =>
      new Tree.TreeUnbuildable({
        kind: "directory",
        path: names.join(", "),
        reason: "it is not an absolute path without dots"
      })
  )
