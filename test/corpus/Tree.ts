import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { head } from "../../src/process/Output.ts"
import { systemPath } from "../../src/process/Environment.ts"
import { Processes } from "../../src/process/Processes.ts"
import { isWithin, normalise } from "../../src/policy/path/PathText.ts"

const Place = Schema.String.pipe(
  Schema.filter(
    (text) => (text !== "/" && text.startsWith("/") && text === normalise(text)) || "an absolute path without dots"
  )
)

/**
 * Something that is there before a case is judged; the argument is a link's target, a text, bytes in hex, or a size such as
 * `4096` or `10G`.
 */
export const Entry = Schema.Tuple(
  Schema.Literal("dir", "file", "text", "bytes", "symlink", "hardlink", "fifo", "sparse"),
  Place,
  Schema.optionalElement(Schema.Union(Schema.String, Schema.Number))
)
export type Entry = typeof Entry.Type

/** What happens to the files between the judgement of a case and its use; a rename says from where to where. */
export const Change = Schema.Union(
  Entry,
  Schema.Tuple(Schema.Literal("rename"), Place, Place),
  Schema.Tuple(Schema.Literal("unlink"), Place)
)
export type Change = typeof Change.Type

/** The files that a case is about could not be made. */
export class TreeUnbuildable extends Schema.TaggedError<TreeUnbuildable>()("TreeUnbuildable", {
  kind: Schema.String,
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `the ${this.kind} ${this.path} cannot be made: ${this.reason}`
  }
}

/** A directory of its own, in which the absolute paths of a case stand for paths below it. */
export interface Tree {
  readonly prefix: string
}

const system = /^\/(?:proc|sys|dev)(?:\/|$)/

/** Puts an absolute path below the prefix, except what belongs to the kernel. */
export const at = ({ prefix }: Tree, name: string): string =>
  name.startsWith("/") && !system.test(normalise(name)) ? `${prefix}${name}` : name

/** The path that one below the prefix stands for. */
export const named = ({ prefix }: Tree, place: string): string =>
  isWithin(place, prefix) ? place.slice(prefix.length) || "/" : place

/** Whether what is made at `target` is made in the tree, wherever links lead. */
const stays = (prefix: string, target: string): boolean => {
  let directory = path.dirname(target)
  while (!fs.existsSync(directory)) directory = path.dirname(directory)
  return isWithin(fs.realpathSync(directory), prefix)
}

const { O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_TRUNC, O_WRONLY } = fs.constants
/** Never follows a link that an earlier entry made, never waits for a pipe. */
const flag = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK

const units = ["", "K", "M", "G", "T"]

/** In bytes; `NaN` for what is no size. */
const sizeOf = (text: string): number => {
  const [, digits, unit = ""] = /^(\d+)\s?([KMGT]?)(?:iB|B)?$/i.exec(text) ?? []
  return Number(digits) * 1024 ** units.indexOf(unit.toUpperCase())
}

const create = (target: string, fill: (file: number) => void): void => {
  const file = fs.openSync(target, flag, 0o644)
  try {
    fill(file)
  } finally {
    fs.closeSync(file)
  }
}

const write = (target: string, content: string | Uint8Array): void =>
  create(target, (file) => fs.writeFileSync(file, content))

/** Makes one entry, pipes excepted; throws where it cannot. */
export const put = (tree: Tree, [kind, name, argument = ""]: Entry): void => {
  const target = `${tree.prefix}${name}`
  if (!stays(tree.prefix, target)) throw new Error("a link leads out of the tree")
  const text = String(argument)
  fs.mkdirSync(path.dirname(target), { recursive: true })
  if (kind === "dir") fs.mkdirSync(target, { recursive: true })
  else if (kind === "file") write(target, `content of ${name}\n`)
  else if (kind === "text") write(target, text.replaceAll(/(?<=gitdir: )\//g, `${tree.prefix}/`))
  else if (kind === "bytes") write(target, Buffer.from(text, "hex"))
  else if (kind === "symlink") fs.symlinkSync(at(tree, text), target)
  else if (kind === "sparse") create(target, (file) => fs.ftruncateSync(file, sizeOf(text)))
  else if (kind === "hardlink") {
    const source = `${tree.prefix}${normalise(text)}`
    if (!stays(tree.prefix, source)) throw new Error("a link leads out of the tree")
    fs.linkSync(source, target)
  }
}

const pipe = (tree: Tree, target: string) =>
  Effect.gen(function* () {
    const processes = yield* Processes
    const made = yield* processes.run({ file: "mkfifo", args: [target], cwd: tree.prefix, env: { PATH: systemPath } })
    if (made.exitCode !== 0) return yield* Effect.fail(head(made.stderr).trim())
  })

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Makes all entries in their order. */
export const build = (tree: Tree, entries: ReadonlyArray<Entry>): Effect.Effect<void, TreeUnbuildable, Processes> =>
  Effect.forEach(
    entries,
    (entry) => {
      const [kind, name] = entry
      const making = Effect.try({ try: () => put(tree, entry), catch: reasonOf })
      const whole =
        kind === "fifo" ? Effect.zipRight(making, Effect.mapError(pipe(tree, at(tree, name)), reasonOf)) : making
      return Effect.mapError(whole, (reason) => new TreeUnbuildable({ kind, path: name, reason }))
    },
    { discard: true }
  )

/** A change of a name, which links of the tree cannot lead elsewhere. */
const alter = (tree: Tree, [kind, name, to]: Exclude<Change, Entry>): void => {
  const from = `${tree.prefix}${name}`
  const target = `${tree.prefix}${to ?? name}`
  if (!stays(tree.prefix, from) || !stays(tree.prefix, target)) throw new Error("a link leads out of the tree")
  if (kind === "rename") fs.renameSync(from, target)
  else fs.unlinkSync(from)
}

const isEntry = (change: Change): change is Entry => change[0] !== "rename" && change[0] !== "unlink"

/** Makes all changes in their order. */
export const change = (tree: Tree, changes: ReadonlyArray<Change>): Effect.Effect<void, TreeUnbuildable, Processes> =>
  Effect.forEach(
    changes,
    (one) =>
      isEntry(one)
        ? build(tree, [one])
        : Effect.try({
            try: () => alter(tree, one),
            catch: (cause) => new TreeUnbuildable({ kind: one[0], path: one[1], reason: reasonOf(cause) })
          }),
    { discard: true }
  )

/** Bytes of a file that are compared. */
const compared = 64 * 1024

/** What stands in the tree outside of some of its directories: each name, and the text of each small file. */
export const outside = (tree: Tree, directories: ReadonlyArray<string>): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  const visit = (directory: string): void => {
    for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
      const name = `${directory}/${entry.name}`
      if (directories.includes(name)) continue
      const { size } = fs.lstatSync(name)
      if (entry.isDirectory()) visit(name)
      else if (entry.isSymbolicLink()) found.set(name, `leads to ${fs.readlinkSync(name)}`)
      else found.set(name, entry.isFile() && size <= compared ? fs.readFileSync(name, "latin1") : `of ${size} bytes`)
    }
  }
  visit(tree.prefix)
  return found
}

/** A tree of its own, removed with the scope. */
export const scoped: Effect.Effect<Tree, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => ({ prefix: fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-case-"))) })),
  ({ prefix }) => Effect.sync(() => fs.rmSync(prefix, { recursive: true, force: true, maxRetries: 5 }))
)
