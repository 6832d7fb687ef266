import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import * as path from "node:path"
import { Configuration } from "../config/Configuration.ts"
import type { Home } from "../config/Home.ts"
import { type DatabaseError, fromCause } from "../database/DatabaseError.ts"
import { stateDirectory } from "../mcp/stateDirectory.ts"
import * as PrivateDirectory from "../system/PrivateDirectory.ts"
import { warn } from "./warn.ts"
import { errnoOf } from "../system/errno.ts"

/** Whether a place can be written to, or made. */
export const isWritable = (place: string): boolean => {
  try {
    fs.accessSync(place, fs.constants.W_OK)
    return true
  } catch (error) {
    // What is missing can be made where what is above it can be written to.
    return errnoOf(error) === "ENOENT" && path.dirname(place) !== place && isWritable(path.dirname(place))
  }
}

/** The files that records are opened with; what is not there, or no file, is left out. */
const copied = (database: string): ReadonlyArray<string> => [database, `${database}-wal`, `${database}-anchor`]

const copy = (from: string, to: string): void => {
  if (fs.statSync(from, { throwIfNoEntry: false })?.isFile() !== true) return
  fs.copyFileSync(from, to, fs.constants.COPYFILE_FICLONE)
  fs.chmodSync(to, 0o600)
}

/** Copies what servers of MCP offer and what of it was approved; logins stay where they are. */
const copyKnown = (from: string, to: string): void => {
  if (!fs.existsSync(from)) return
  fs.mkdirSync(to, { mode: 0o700 })
  for (const name of fs.readdirSync(from))
    if (/\.(?:manifest|pins)\.json$/.test(name)) copy(path.join(from, name), path.join(to, name))
}

const isReadOnly = ({ approvals, database }: Home): boolean =>
  ![path.dirname(database), database, approvals].every(isWritable)

/** A home that goes when the scope closes, where that of the user cannot be written to. */
export const temporary = (home: Home): Effect.Effect<Home | undefined, DatabaseError, Scope.Scope> =>
  isReadOnly(home)
    ? Effect.map(
        PrivateDirectory.filled(
          () => {},
          (error) => fromCause(home.database, error)
        ),
        (to) => ({
          ...home,
          database: path.join(to, path.basename(home.database)),
          approvals: path.join(to, "approvals"),
          checkpoints: path.join(to, "checkpoints"),
          results: path.join(to, "results")
        })
      )
    : Effect.succeed(undefined)

/**
 * For commands that only read: the records of a home that cannot be written to are opened in a copy, because SQLite opens no
 * database without writing beside it. The copy goes when the command ends.
 */
export const layer: Layer.Layer<Configuration, DatabaseError, Configuration> = Layer.scoped(
  Configuration,
  Effect.gen(function* () {
    const configuration = yield* Configuration
    const { approvals, database } = configuration.home
    const folder = path.dirname(database)
    if (!isReadOnly(configuration.home)) return configuration
    const to = yield* PrivateDirectory.filled(
      (directory) => {
        for (const file of copied(database)) copy(file, path.join(directory, path.basename(file)))
        copyKnown(stateDirectory(database), stateDirectory(path.join(directory, path.basename(database))))
        if (!fs.existsSync(approvals)) return
        const kept = path.join(directory, "approvals")
        fs.mkdirSync(kept, { mode: 0o700 })
        for (const name of ["audit.key", "audit.head"]) copy(path.join(approvals, name), path.join(kept, name))
      },
      (error) => fromCause(database, error)
    )
    yield* warn(`${folder} is read-only: reading from a temporary copy; nothing there can be run or changed`)
    const home = {
      ...configuration.home,
      database: path.join(to, path.basename(database)),
      approvals: path.join(to, "approvals")
    }
    return { ...configuration, home }
  })
)

/** The configuration for commands that only read. */
export const reading = Layer.provide(layer, Configuration.layer())
