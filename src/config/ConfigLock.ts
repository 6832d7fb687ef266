import * as Effect from "effect/Effect"
import * as path from "node:path"
import type * as Scope from "effect/Scope"
import type { DatabaseError } from "../database/DatabaseError.ts"
import { lockFile } from "../database/lockFile.ts"
import { ConfigUnwritable } from "./ConfigError.ts"

/** Keeps other processes from changing the file, from before it is read until it is written. */
export const locked =
  (file: string) =>
  <A, E, R>(change: Effect.Effect<A, E, R>): Effect.Effect<A, E | ConfigUnwritable, Exclude<R, Scope.Scope>> =>
    Effect.scoped(
      Effect.zipRight(
        Effect.mapError(
          lockFile(path.join(path.dirname(file), "config.lock")),
          (error) => new ConfigUnwritable({ file, reason: reasonOf(error) })
        ),
        change
      )
    )

const reasonOf = (error: DatabaseError): string =>
  error._tag === "DatabaseLocked"
    ? "another process has been changing it for 10 seconds"
    : "reason" in error
      ? error.reason
      : error.message
