import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import { isAnchored, open } from "./Directory.ts"
import { settle, type FileFailure } from "./FileFailure.ts"
import { judgeLexical, type JudgedPath } from "./PathPolicy.ts"
import type { PathRefused } from "./PathRefused.ts"
import { kindOf, type Kind } from "./PhysicalPath.ts"
import type { Decision } from "../Verdict.ts"

export interface DirectoryEntry {
  readonly name: string
  readonly kind: Exclude<Kind, "missing">
}

export interface Listing {
  /** Sorted by name. */
  readonly entries: ReadonlyArray<DirectoryEntry>
  /** Whether there were more than the limit. */
  readonly truncated: boolean
}

/** Entries read of one directory. */
const listLimit = 50_000

const batch = 1024

const listAt = (path: string, operation: string, anchored: boolean, limit: number) =>
  Effect.scoped(
    Effect.gen(function* () {
      const directory = yield* open(operation, path, { anchored })
      const handle = yield* Effect.acquireRelease(
        settle<fs.Dir>(operation, path, (done) => fs.opendir(directory.at("."), { bufferSize: batch }, done)),
        (opened) => Effect.ignore(settle<void>("close", path, (done) => opened.close((cause) => done(cause ?? null))))
      )
      const entries: Array<DirectoryEntry> = []
      while (entries.length <= limit) {
        const next = yield* settle<fs.Dirent | null>(operation, path, (done) =>
          handle.read((cause, value) => done(cause, value))
        )
        if (next === null) break
        entries.push({ name: next.name, kind: kindOf(next) })
      }
      const truncated = entries.length > limit
      if (truncated) entries.pop()
      entries.sort((self, that) => (self.name < that.name ? -1 : 1))
      return { entries, truncated }
    })
  )

/** The entries of one directory, symlinks as symlinks. */
export const list = (
  judged: JudgedPath<"list">,
  options: { readonly limit?: number } = {}
): Effect.Effect<Listing, PathRefused | FileFailure> =>
  listAt(judged.path, "list", isAnchored(judged.context.platform), options.limit ?? listLimit)

export interface WalkEntry {
  /** Physical and absolute. */
  readonly path: string
  /** Relative to where the walk began, names joined by `/`. */
  readonly relative: string
  readonly kind: Exclude<Kind, "missing">
  /** Whether its content may be read: `allow`, or `ask`. What is denied is not in the walk. */
  readonly decision: Decision
}

export interface WalkOptions {
  /** Skips an entry and everything below it. */
  readonly skip?: (entry: WalkEntry) => boolean
  /** Directories waiting to be entered at most; those beyond are left out. */
  readonly pending?: number
}

/**
 * All entries below a directory, parents before children, names in order. Symlinks are reported and never entered, so
 * nothing outside the directory turns up; directories that vanish or cannot be read are passed over. Each is opened
 * anew from `/` without following symlinks, and none is held open between two elements.
 */
export const walk = (
  judged: JudgedPath<"list" | "glob" | "grep">,
  options: WalkOptions = {}
): Stream.Stream<WalkEntry, PathRefused | FileFailure> => {
  const { context, op, path: top } = judged
  const anchored = isAnchored(context.platform)
  const pending = options.pending ?? 100_000
  const visit = (directory: string, relative: string) =>
    Effect.map(listAt(directory, op, anchored, listLimit), ({ entries }) =>
      entries.flatMap(({ name, kind }): ReadonlyArray<WalkEntry> => {
        const path = directory === "/" ? `/${name}` : `${directory}/${name}`
        const { decision } = judgeLexical(path, "read", context)
        const entry = { path, relative: relative === "" ? name : `${relative}/${name}`, kind, decision }
        return decision === "deny" || options.skip?.(entry) === true ? [] : [entry]
      })
    )
  return Stream.paginateChunkEffect<
    ReadonlyArray<readonly [string, string]>,
    WalkEntry,
    PathRefused | FileFailure,
    never
  >([[top, ""]], (stack) => {
    const next = stack.at(-1)
    if (next === undefined) return Effect.succeed([Chunk.empty(), Option.none()])
    const [directory, relative] = next
    const visited = visit(directory, relative)
    return Effect.map(directory === top ? visited : Effect.orElseSucceed(visited, () => []), (entries) => {
      const inner = entries
        .filter((entry) => entry.kind === "directory")
        .map((entry) => [entry.path, entry.relative] as const)
      const rest = [...stack.slice(0, -1), ...inner.toReversed()].slice(-pending)
      return [Chunk.fromIterable(entries), rest.length === 0 ? Option.none() : Option.some(rest)]
    })
  })
}
