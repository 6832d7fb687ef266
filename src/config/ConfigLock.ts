import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as path from "node:path"
import type { DatabaseError } from "../database/DatabaseError.ts"
import { lockFile } from "../database/lockFile.ts"
import { ConfigUnwritable, makeRoom } from "./ConfigError.ts"

/** Why the lock of the configuration cannot be had, and what to do about it. */
const why = (error: DatabaseError): { readonly reason: string; readonly mend?: string } => {
  switch (error._tag) {
    case "DatabaseFull":
      return { reason: "the disk is full", mend: makeRoom }
    case "DatabaseLocked":
      return {
        reason: "another process has been changing it for 10 seconds",
        mend: "Wait for it to end and try again."
      }
    case "DatabaseDamaged":
      return { reason: `its lock ${error.file} is not the file that Tollgate made`, mend: "Remove that file." }
    default:
      return { reason: "reason" in error ? error.reason : error.message.replace(/\.$/, "") }
  }
}

/** The error of a configuration whose lock cannot be had. */
export const unlocked = (file: string, error: DatabaseError): ConfigUnwritable =>
  new ConfigUnwritable({ file, ...why(error) })

/** Keeps other processes from changing the file, from before it is read until it is written. */
export const locked =
  (file: string) =>
  <A, E, R>(change: Effect.Effect<A, E, R>): Effect.Effect<A, E | ConfigUnwritable, Exclude<R, Scope.Scope>> =>
    Effect.scoped(
      Effect.zipRight(
        Effect.mapError(lockFile(path.join(path.dirname(file), "config.lock")), (error) => unlocked(file, error)),
        change
      )
    )
