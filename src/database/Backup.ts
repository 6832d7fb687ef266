import type { SqlClient } from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { reclaim, temporaryName } from "../system/Temporary.ts"
import { connect } from "./connect.ts"
import { type DatabaseError, DatabaseDamaged, fromCause } from "./DatabaseError.ts"
import { makeDirectory } from "../system/makeDirectory.ts"
import { syncDirectory } from "../system/syncDirectory.ts"

/** Fails where the pages of a database do not fit together. */
export const quickCheck = (file: string, sql: SqlClient): Effect.Effect<void, DatabaseError> =>
  Effect.flatMap(
    Effect.mapError(sql`PRAGMA quick_check(1)`, (error) => fromCause(file, error)),
    ([row]) =>
      row?.["quick_check"] === "ok"
        ? Effect.void
        : new DatabaseDamaged({
            file,
            what: String(row?.["quick_check"] ?? "it has no content")
              .split("\n")
              .join(" ")
          })
  )

/** A whole copy is there under its name or not at all. */
const put = (fresh: string, target: string): void => {
  fs.chmodSync(fresh, 0o600)
  const handle = fs.openSync(fresh, "r+")
  try {
    fs.fsyncSync(handle)
  } finally {
    fs.closeSync(handle)
  }
  fs.renameSync(fresh, target)
  syncDirectory(path.dirname(target))
}

/** Copies the whole database as it is now into one file, and reads the copy through before it gets its name. */
export const copy = (
  file: string,
  connection: Pick<Connection, "executeUnprepared" | "execute">,
  target: string
): Effect.Effect<void, DatabaseError> => {
  const fresh = temporaryName(`${target}.`)
  return Effect.gen(function* () {
    yield* Effect.try({ try: () => makeDirectory(path.dirname(target)), catch: (error) => fromCause(target, error) })
    reclaim(path.dirname(target), `${path.basename(target)}.`)
    yield* Effect.mapError(connection.execute("VACUUM INTO ?", [fresh], undefined), (error) => fromCause(target, error))
    yield* Effect.scoped(Effect.flatMap(connect(fresh), (sql) => quickCheck(file, sql)))
    yield* Effect.try({ try: () => put(fresh, target), catch: (error) => fromCause(target, error) })
  }).pipe(
    Effect.ensuring(
      Effect.sync(() => {
        for (const litter of [fresh, `${fresh}-journal`]) fs.rmSync(litter, { force: true })
      })
    )
  )
}

/** Copies beside a database, which are named after it: those made before an upgrade, on the loss of its file and by hand. */
export const copiesOf = (file: string): ReadonlyArray<string> => {
  const folder = path.dirname(file)
  const start = `${path.basename(file)}.`
  try {
    return fs
      .readdirSync(folder)
      .filter((name) => name.startsWith(start) && /\.(?:backup|rescued)$/.test(name))
      .map((name) => path.join(folder, name))
      .sort()
  } catch {
    return []
  }
}
