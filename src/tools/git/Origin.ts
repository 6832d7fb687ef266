import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import { isWithin } from "../../policy/path/PathText.ts"
import { resolve } from "../../policy/path/PhysicalPath.ts"
import { GitRefused } from "./GitError.ts"
import type { Repository } from "./Repository.ts"

/** Files of a repository that are looked at before git reads it. */
const most = 500_000

/** The files that git reads of a git directory by name; others are ignored. */
const read =
  /^(?:HEAD|config|config\.worktree|index|sharedindex\..*|packed-refs|shallow|objects|refs|reftable|logs|info|lfs|[A-Z]+_HEAD|rebase-.*|sequencer)$/

const isRefusal = Schema.is(GitRefused)

const refuse = (reason: string) => new GitRefused({ reason })

/** The directories that a store of objects takes further ones from, as git reads them. */
const alternates = (objects: string): ReadonlyArray<string> => {
  const file = `${objects}/info/alternates`
  const stat = fs.statSync(file, { throwIfNoEntry: false })
  if (stat === undefined) return []
  if (!stat.isFile() || stat.size > 64 * 1024) throw refuse(`${file} cannot be read`)
  return fs
    .readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => (line.startsWith("/") ? line : `${objects}/${line}`))
}

/**
 * Fails where git would read files of another repository or outside the roots: by a link, by `objects/info/alternates`, or by
 * what is neither a file nor a directory. Looks at names alone.
 */
export const check = (
  { commonDirectory, gitDirectory }: Repository,
  roots: ReadonlyArray<string>
): Effect.Effect<void, GitRefused> => {
  const allowed = [gitDirectory, commonDirectory, ...roots]
  const waiting: Array<string> = []
  const seen = new Set<string>()
  let count = 0

  /** A place that something leads to. */
  const follow = (from: string, to: string): void => {
    const target = Either.getOrUndefined(resolve(to))?.path
    if (target === undefined || !allowed.some((place) => isWithin(target, place))) {
      throw refuse(`${from} points to ${target ?? to}, outside this repository and the workspace`)
    }
    const stat = fs.statSync(target, { throwIfNoEntry: false })
    if (stat?.isDirectory() === true) enter(target)
    else if (stat !== undefined && !stat.isFile()) throw refuse(`${from} is neither a file nor a directory`)
  }
  const enter = (directory: string): void => {
    if (seen.has(directory)) return
    seen.add(directory)
    waiting.push(directory)
  }
  const look = (directory: string, only: RegExp | undefined): void => {
    for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
      if (only !== undefined && !only.test(entry.name)) continue
      if (++count > most) throw refuse(`${commonDirectory} has more than ${most} files; run git gc in a terminal`)
      const place = `${directory}/${entry.name}`
      if (entry.isSymbolicLink()) follow(place, place)
      else if (entry.isDirectory()) enter(place)
      else if (!entry.isFile()) throw refuse(`${place} is neither a file nor a directory`)
    }
    if (fs.statSync(`${directory}/info`, { throwIfNoEntry: false })?.isDirectory() === true) {
      for (const other of alternates(directory)) follow(`${directory}/info/alternates`, other)
    }
  }
  const attempt = (step: () => void) =>
    Effect.try({
      try: step,
      catch: (error) =>
        isRefusal(error)
          ? error
          : refuse(`${gitDirectory} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
    })
  return Effect.gen(function* () {
    for (const top of new Set([gitDirectory, commonDirectory])) yield* attempt(() => look(top, read))
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const directory = next
      yield* attempt(() => look(directory, undefined))
      yield* Effect.yieldNow()
    }
  })
}
