import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type DatabaseError, fromCause } from "./DatabaseError.ts"

/** A connection to a file; one that only reads changes nothing, not even how the file is journaled. */
export const connect = (
  file: string,
  readonly: boolean
): Effect.Effect<SqliteClient.SqliteClient, DatabaseError, Scope.Scope> =>
  SqliteClient.make({ filename: file, readonly, disableWAL: readonly }).pipe(
    Effect.provide(Reactivity.layer),
    Effect.catchAllDefect((defect) => Effect.fail(fromCause(file, defect)))
  )
