import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Statement from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type DatabaseError, fromCause } from "./DatabaseError.ts"
import { open } from "./Sqlite.ts"

/** Reads a file; it changes nothing, and while one fiber has a transaction the others wait. */
export const connect = (file: string): Effect.Effect<SqlClient.SqlClient, DatabaseError, Scope.Scope> =>
  Effect.gen(function* () {
    const connection = yield* Effect.mapError(open(file, { readonly: true, wal: true }), (error) =>
      fromCause(file, error)
    )
    const one = yield* Effect.makeSemaphore(1)
    const reserve = Effect.uninterruptibleMask((restore) =>
      restore(one.take(1)).pipe(Effect.zipRight(Effect.addFinalizer(() => one.release(1))), Effect.as(connection))
    )
    return yield* SqlClient.make({
      acquirer: one.withPermits(1)(Effect.succeed(connection)),
      transactionAcquirer: reserve,
      compiler: Statement.makeCompilerSqlite(),
      spanAttributes: [["db.system.name", "sqlite"]]
    })
  }).pipe(Effect.provide(Reactivity.layer))
