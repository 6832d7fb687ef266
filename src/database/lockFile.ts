import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import * as path from "node:path"
import { fromCause, type DatabaseError } from "./DatabaseError.ts"
import { makeDirectory } from "../system/makeDirectory.ts"
import { open } from "./Sqlite.ts"

/** How long a process waits for another, and between two attempts. */
const attempts = 200
const pause = "50 millis"

/**
 * Holds the lock of SQLite on an empty file until the scope ends. The system frees it when the process ends, however it ends, so no
 * lock is ever left behind.
 */
export const lockFile = (file: string): Effect.Effect<void, DatabaseError, Scope.Scope> =>
  Effect.gen(function* () {
    yield* Effect.try({
      try: () => {
        makeDirectory(path.dirname(file))
        fs.closeSync(fs.openSync(file, fs.constants.O_CREAT | fs.constants.O_RDWR | fs.constants.O_NONBLOCK, 0o600))
      },
      catch: (error) => fromCause(file, error)
    })
    const connection = yield* Effect.mapError(open(file, { readonly: false, wal: false }), (error) =>
      fromCause(file, error)
    )
    const run = (statement: string) => Effect.mapError(connection.script(statement), (error) => fromCause(file, error))
    yield* run("PRAGMA busy_timeout = 0")
    yield* Effect.retry(run("BEGIN EXCLUSIVE"), {
      schedule: Schedule.intersect(Schedule.spaced(pause), Schedule.recurs(attempts)),
      while: (error) => error._tag === "DatabaseLocked"
    })
  })
