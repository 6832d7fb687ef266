import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import { type DatabaseError, DatabaseEngineTooOld, fromCause } from "./DatabaseError.ts"

/** The first SQLite without the WAL-reset bug, which two connections that write at once can run into (3.7.0 to 3.51.2). */
const needed = "3.51.3"

const byParts = Order.mapInput(Order.array(Order.number), (version: string) => version.split(".").map(Number))

export const isSound: (version: string) => boolean = Order.greaterThanOrEqualTo(byParts)(needed)

const engineVersion = (connection: Pick<Connection, "execute">): Effect.Effect<string, SqlError> =>
  Effect.map(connection.execute("SELECT sqlite_version() AS version", [], undefined), (rows) =>
    String(rows[0]?.version)
  )

/** The version, unless it cannot be trusted with the file. */
export const checkEngine = (
  file: string,
  connection: Pick<Connection, "execute">
): Effect.Effect<string, DatabaseError> =>
  engineVersion(connection).pipe(
    Effect.mapError((error) => fromCause(file, error)),
    Effect.filterOrFail(isSound, (found) => new DatabaseEngineTooOld({ file, found, needed }))
  )
