import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import type { Processes } from "../../src/process/Processes.ts"
import * as PathContext from "../../src/policy/path/PathContext.ts"
import { access, type PathOp } from "../../src/policy/path/PathOp.ts"
import { judge, judgeLexical, judgeNow, type JudgedPath } from "../../src/policy/path/PathPolicy.ts"
import { protectedVerdict } from "../../src/policy/path/Protected.ts"
import { allow, deny, strictest, type Verdict } from "../../src/policy/Verdict.ts"
import { completePatch } from "./PatchText.ts"
import * as PathOutcome from "./PathOutcome.ts"
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
  /** What somebody else does between the judgement and the use, which is then carried out. */
  between: optional(Schema.Array(Tree.Change)),
  fault: optional(Schema.String)
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

/** A verdict, and what was demanded besides and is not so. */
export interface Judgement {
  readonly verdict: Verdict
  readonly violated: ReadonlyArray<string>
}

const only = (verdict: Verdict): Judgement => ({ verdict, violated: [] })

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

type Targets = ReadonlyArray<{ readonly path: string; readonly op: PathOp }>

/** The strictest verdict on all that is to be done. */
const strictestOf = (targets: Targets, standing: Standing): Verdict => {
  const [first = deny("path/patch-invalid", "it changes no file"), ...others] = targets.map(({ op, path }) =>
    verdictOf(path, op, standing)
  )
  return others.reduce(strictest, first)
}

/** A patch where it can be read, else one that its beginning is taken for. */
const readTargets = (text: string, readPatch: PatchReader): ReturnType<PatchReader> => {
  const whole = readPatch(text)
  const completed = Either.isLeft(whole) ? completePatch(text) : undefined
  return completed === undefined ? whole : readPatch(completed)
}

/** Carries out what may be done, after what somebody else does meanwhile, and looks at what has come of it. */
const carryOut = (targets: Targets, verdict: Verdict, standing: Standing, demanded: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { context, input, tree } = standing
    const judged = yield* Effect.all(targets.map(({ op, path }) => judge(Tree.at(tree, path), op, context)))
    yield* Tree.change(tree, input.between ?? [])
    const before = PathOutcome.look(tree, context)
    const used = yield* Effect.either(Effect.forEach(judged, (one) => PathOutcome.use(one, context)))
    const violated = PathOutcome.violated(demanded, before, PathOutcome.look(tree, context), {
      place: (name) => Tree.at(tree, name.startsWith("/") ? name : `${input.cwd}/${name}`),
      seen: Either.getOrElse(used, () => [])
    })
    const refused = Either.isLeft(used) && used.left._tag === "PathRefused"
    return { verdict: refused ? used.left.verdict : verdict, violated }
  }).pipe(Effect.catchTag("PathRefused", ({ verdict }) => Effect.succeed({ verdict, violated: [] })))

/**
 * Judges a path where the files of the case stand, by what it says and by where it leads. Nothing is opened unless
 * something is demanded of what comes of it, or happens in between.
 */
export const judgePath = (
  input: PathInput,
  { fixture, readPatch }: Surroundings,
  demanded: ReadonlyArray<string> = []
): Effect.Effect<Judgement, Tree.TreeUnbuildable, Processes> =>
  Effect.gen(function* () {
    const tree = yield* Tree.scoped
    const place = (name: string) => Tree.at(tree, name)
    yield* Tree.build(tree, [...fixture, ...input.fs])
    const missing = [input.cwd, input.home, ...input.roots].filter((name) => !fs.existsSync(place(name)))
    yield* Tree.build(tree, yield* directories(missing))
    const context = yield* PathContext.make(contextOf(input, place))
    const { op } = input
    if (op === "config") return only(yield* configure(input, place, context))
    const standing = { input, tree, context }
    const read =
      op === "patch"
        ? readTargets(input.path, readPatch)
        : Either.right([{ op, path: op === "grep" ? "." : input.path }])
    if (Either.isLeft(read)) return only(deny("path/patch-invalid", read.left.message))
    const verdict = strictestOf(read.right, standing)
    const here = input.platform === undefined || input.platform === process.platform
    const live = input.between !== undefined || demanded.some(PathOutcome.isKnown)
    if (!here || !live || verdict.decision !== "allow") return only(verdict)
    return yield* carryOut(read.right, verdict, standing, demanded)
  }).pipe(
    Effect.catchTag("BoundaryInvalid", ({ message }) => Effect.succeed(only(deny("path/boundary", message)))),
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
