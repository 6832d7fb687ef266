import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import { confirm, entry, inspect, type Base } from "./Base.ts"
import { openFile, readWhole, sha256 } from "./Content.ts"
import { changed, isAnchored, open, type Directory } from "./Directory.ts"
import { attempt, type FileFailure, type FileTooLarge } from "./FileFailure.ts"
import { defaultLimit, type FileContent } from "./FileReader.ts"
import type { ChangeFailed } from "./FileWriter.ts"
import type { JudgedPath } from "./PathPolicy.ts"
import type { PathRefused } from "./PathRefused.ts"
import { isWithin, split } from "./PathText.ts"

/** How often a file is read again beside which something is made or removed all the time. */
const attempts = 3

const stateOf = (path: string): string => {
  const found = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? "-" : `${found.dev}:${found.ino}:${found.ctimeNs}`
}

/**
 * The file and the directories on its way down from the root that it lies in, as they are now. One that is moved away and back, or
 * replaced, has another time of change than before.
 */
const trail = ({ context, path }: JudgedPath, operation: string): Effect.Effect<string, FileFailure> =>
  attempt(operation, path, () => {
    const found: Array<string> = []
    for (let place = path; place !== "/" && context.roots.some((root) => isWithin(place, root));) {
      found.push(stateOf(place))
      place = split(place).directory
    }
    return found.join(" ")
  })

/** Has another program read a judged path, and gives what it read only if nothing on the way to the file was replaced meanwhile. */
export const readBy = <A, E>(
  judged: JudgedPath<"read">,
  read: (path: string) => Effect.Effect<A, E>
): Effect.Effect<A, E | PathRefused | FileFailure> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { context, path } = judged
      const { directory, name } = split(path)
      const parent = yield* open("read", directory, { anchored: isAnchored(context.platform) })
      for (let round = 1; round <= attempts; round++) {
        const before = yield* trail(judged, "read")
        if ((yield* entry("read", parent, name)) !== undefined)
          yield* Effect.scoped(openFile("read", parent, name, context))
        const found = yield* read(path)
        yield* parent.verify("read")
        if ((yield* trail(judged, "read")) === before) return found
      }
      return yield* changed("read", path)
    })
  )

/** A file that another program is about to write, with its directory open. */
export interface HeldFile {
  /** The last check before the change: fails if it is no longer what was held. */
  readonly confirm: Effect.Effect<void, ChangeFailed>
  /** What is at the judged path now; fails where its directory was replaced, or a symlink has taken its place. */
  readonly content: Effect.Effect<FileContent, PathRefused | FileFailure | FileTooLarge>
  /** Whether neither the file nor a directory on its way was changed, moved or replaced since it was confirmed. */
  readonly untouched: Effect.Effect<boolean, FileFailure>
}

const contentOf = (parent: Directory, name: string, { context }: JudgedPath) =>
  Effect.scoped(
    Effect.gen(function* () {
      yield* parent.verify("write")
      const opened = yield* openFile("write", parent, name, context)
      const bytes = yield* readWhole(opened, defaultLimit)
      return { bytes, sha256: sha256(bytes), mode: Number(opened.stat.mode & 0o777n) }
    })
  )

/** Holds a file that another program is to write, by the checks of `FileWriter.write`; missing parents inside a root are created. */
export const hold = (judged: JudgedPath<"write">, base: Base): Effect.Effect<HeldFile, ChangeFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const { context, path } = judged
    const { directory, name } = split(path)
    const anchored = isAnchored(context.platform)
    const parent = yield* open("write", directory, { anchored, createWithin: context.roots })
    const before = yield* inspect("write", parent, name, context, base)
    if (before !== undefined) yield* attempt("write", path, () => fs.accessSync(parent.at(name), fs.constants.W_OK))
    let known = ""
    return {
      confirm: Effect.gen(function* () {
        known = yield* trail(judged, "write")
        yield* confirm("write", parent, name, before)
      }),
      content: contentOf(parent, name, judged),
      untouched: Effect.map(trail(judged, "write"), (now) => now === known)
    }
  })
