import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as fs from "node:fs"
import { confirm, entry, inspect } from "./Base.ts"
import { isAnchored, open, sync } from "./Directory.ts"
import { attempt, FileFailure } from "./FileFailure.ts"
import { claim, type ChangeFailed, type ChangeOptions } from "./FileWriter.ts"
import type { JudgedPath } from "./PathPolicy.ts"
import { split } from "./PathText.ts"

export interface Removed {
  readonly path: string
  /** In bytes. */
  readonly previousSize: number
}

export interface Renamed {
  readonly from: string
  readonly path: string
  /** In bytes. */
  readonly size: number
}

/** Removes one name: a regular file's, compared with the base if one is given, or a symlink's, never its target's. */
export const remove = (
  judged: JudgedPath<"remove">,
  options: ChangeOptions = {}
): Effect.Effect<Removed, ChangeFailed> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { path, context } = judged
      const { directory, name } = split(path)
      const parent = yield* open("remove", directory, { anchored: isAnchored(context.platform) })
      const found = yield* entry("remove", parent, name)
      if (found === undefined) return yield* new FileFailure({ operation: "remove", path, code: "ENOENT" })
      const before = found.isSymbolicLink() ? found : yield* inspect("remove", parent, name, context, options.base)
      yield* Effect.uninterruptible(
        Effect.gen(function* () {
          yield* confirm("remove", parent, name, before)
          yield* attempt("remove", path, () => fs.unlinkSync(parent.at(name)))
          yield* sync(parent)
        })
      )
      return { path, previousSize: Number(found.size) }
    })
  )

/**
 * Gives a regular file another name, which nothing may have yet; missing parents inside a root are created. After a
 * crash both names may exist, never none.
 */
export const rename = (
  from: JudgedPath<"remove">,
  to: JudgedPath<"write">,
  options: ChangeOptions = {}
): Effect.Effect<Renamed, ChangeFailed> =>
  Effect.scoped(
    Effect.gen(function* () {
      const anchored = isAnchored(from.context.platform)
      const source = split(from.path)
      const target = split(to.path)
      const oldParent = yield* open("rename", source.directory, { anchored })
      const before = yield* inspect("rename", oldParent, source.name, from.context, options.base)
      if (before === undefined) return yield* new FileFailure({ operation: "rename", path: from.path, code: "ENOENT" })
      const newParent = yield* open("rename", target.directory, { anchored, createWithin: to.context.roots })
      yield* inspect("rename", newParent, target.name, to.context, Option.none())
      yield* Effect.uninterruptible(
        Effect.gen(function* () {
          yield* confirm("rename", oldParent, source.name, before)
          yield* newParent.verify("rename")
          yield* claim(to.path, oldParent.at(source.name), newParent.at(target.name))
          yield* sync(newParent)
          yield* attempt("rename", from.path, () => fs.rmSync(oldParent.at(source.name), { force: true }))
          yield* sync(oldParent)
        })
      )
      return { from: from.path, path: to.path, size: Number(before.size) }
    })
  )
