import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as fs from "node:fs"
import { deny } from "../Verdict.ts"
import { openFile, readWhole, sha256 } from "./Content.ts"
import { changed, type Directory } from "./Directory.ts"
import { attempt, StaleFile } from "./FileFailure.ts"
import { errnoOf } from "../../system/errno.ts"
import type { PathContext } from "./PathContext.ts"
import { PathRefused } from "./PathRefused.ts"
import { kindOf } from "./PhysicalPath.ts"

/** The state a change was made for: the SHA-256 of a file's bytes, or none for a file that must not exist yet. */
export type Base = Option.Option<string>

/** Larger files can be replaced, but not compared. */
const comparable = 256 * 1024 * 1024

const lookUp = (path: string): fs.BigIntStats | undefined => {
  try {
    return fs.lstatSync(path, { bigint: true })
  } catch (cause) {
    if (errnoOf(cause) === "ENOENT") return undefined
    throw cause
  }
}

/** What stands under a name right now, not followed if it is a symlink. */
export const entry = (operation: string, directory: Directory, name: string) =>
  attempt(operation, `${directory.path}/${name}`, () => lookUp(directory.at(name)))

const isSame = (self: fs.BigIntStats | undefined, that: fs.BigIntStats | undefined): boolean =>
  self === undefined || that === undefined
    ? self === that
    : self.dev === that.dev &&
      self.ino === that.ino &&
      self.size === that.size &&
      self.mtimeNs === that.mtimeNs &&
      self.ctimeNs === that.ctimeNs

/** A name under which there is a regular file or nothing, compared with the base if one is given. */
export const inspect = Effect.fnUntraced(function* (
  operation: string,
  directory: Directory,
  name: string,
  context: PathContext,
  base: Base | undefined
) {
  const path = `${directory.path}/${name}`
  const before = yield* entry(operation, directory, name)
  if (before !== undefined && !before.isFile()) {
    if (before.isSymbolicLink()) return yield* changed(operation, path)
    const verdict = deny("path/not-regular", `it is a ${kindOf(before)}; only regular files are changed`)
    return yield* new PathRefused({ operation, path, verdict })
  }
  if (base === undefined) return before
  if (before === undefined) {
    return Option.isNone(base) ? before : yield* new StaleFile({ path, expected: base.value, actual: null })
  }
  const actual = yield* Effect.scoped(
    Effect.flatMap(openFile(operation, directory, name, context), (file) => readWhole(file, comparable))
  ).pipe(Effect.map(sha256))
  if (Option.isNone(base)) return yield* new StaleFile({ path, expected: null, actual })
  return actual === base.value ? before : yield* new StaleFile({ path, expected: base.value, actual })
})

/** Fails if the name no longer refers to what `inspect` found; the last check before a change. */
export const confirm = Effect.fnUntraced(function* (
  operation: string,
  directory: Directory,
  name: string,
  before: fs.BigIntStats | undefined
) {
  yield* directory.verify(operation)
  const now = yield* entry(operation, directory, name)
  if (isSame(before, now)) return
  return yield* new StaleFile({
    path: `${directory.path}/${name}`,
    expected: before === undefined ? null : "the file as it was inspected",
    actual: now === undefined ? null : "another file or content"
  })
})
