import type * as Photostructure from "@photostructure/sqlite"
import { type Bindable, bindable, type Driver, SqliteError } from "./Driver.ts"

/** Result codes by https://www.sqlite.org/rescode.html, as far as they say more than the code that they extend. */
const extended: ReadonlyMap<number, string> = new Map([
  [261, "SQLITE_BUSY_RECOVERY"],
  [517, "SQLITE_BUSY_SNAPSHOT"],
  [522, "SQLITE_IOERR_SHORT_READ"],
  [8458, "SQLITE_IOERR_CORRUPTFS"],
  [267, "SQLITE_CORRUPT_VTAB"],
  [779, "SQLITE_CORRUPT_INDEX"],
  [275, "SQLITE_CONSTRAINT_CHECK"],
  [787, "SQLITE_CONSTRAINT_FOREIGNKEY"],
  [1299, "SQLITE_CONSTRAINT_NOTNULL"],
  [1555, "SQLITE_CONSTRAINT_PRIMARYKEY"],
  [1811, "SQLITE_CONSTRAINT_TRIGGER"],
  [2067, "SQLITE_CONSTRAINT_UNIQUE"]
])

/** SQLite's own words for a code, by which it is known where the package forgets the code. */
const worded: ReadonlyMap<string, string> = new Map([
  ["database disk image is malformed", "SQLITE_CORRUPT"],
  ["database or disk is full", "SQLITE_FULL"],
  ["database is locked", "SQLITE_BUSY"],
  ["database table is locked", "SQLITE_LOCKED"],
  ["disk I/O error", "SQLITE_IOERR"],
  ["attempt to write a readonly database", "SQLITE_READONLY"],
  ["unable to open database file", "SQLITE_CANTOPEN"],
  ["file is not a database", "SQLITE_NOTADB"],
  ["interrupted", "SQLITE_INTERRUPT"],
  ["out of memory", "SQLITE_NOMEM"]
])

const coded = (error: unknown): unknown => {
  if (!(error instanceof Error) || error instanceof SqliteError) return error
  const message = error.message.replace(/^Failed to open database: /, "")
  const code =
    ("errcode" in error && extended.get(Number(error.errcode))) ||
    ("sqliteCodeName" in error ? String(error.sqliteCodeName) : (worded.get(message) ?? "SQLITE_MISUSE"))
  return new SqliteError({ code, message })
}

const attempt = <A>(run: () => A): A => {
  try {
    return run()
  } catch (error) {
    throw coded(error)
  }
}

/** The package takes a number next to an integer for that integer. */
const bound = (params: ReadonlyArray<unknown>): ReadonlyArray<Bindable> => {
  const all = bindable(params)
  for (const value of all) {
    if (typeof value !== "number" || Number.isInteger(value)) continue
    if (value - Math.floor(value) < Number.EPSILON)
      throw new SqliteError({ code: "SQLITE_MISMATCH", message: `the number ${value} cannot be stored` })
  }
  return all
}

/**
 * What lets go of the file although the package has no way to end a statement, and with it a connection, before it is collected:
 * no transaction is open, and nothing is left in a journal that no other connection uses.
 */
const settle = (database: Photostructure.DatabaseSyncInstance, readonly: boolean): void => {
  for (const text of ["ROLLBACK", ...(readonly ? [] : ["PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)"])]) {
    try {
      database.exec(text)
    } catch {
      // Not in a transaction, or another connection holds the journal and finishes it.
    }
  }
}

/** SQLite by `@photostructure/sqlite` 1, the one that has binaries for Node 20. */
export const photostructure = ({ DatabaseSync }: Pick<typeof Photostructure, "DatabaseSync">): Driver => ({
  name: "@photostructure/sqlite",
  open: (file, { readonly, timeout }) => {
    const database = attempt(() => new DatabaseSync(file, { readOnly: readonly, timeout }))
    return {
      prepare: (text) => {
        const statement = attempt(() => database.prepare(text))
        return {
          reads: attempt(() => statement.columns().length > 0),
          all: (params) => attempt(() => statement.all(...bound(params))),
          values: (params) =>
            attempt(() => {
              try {
                statement.setReturnArrays(true)
                return statement.all(...bound(params))
              } finally {
                statement.setReturnArrays(false)
              }
            }),
          run: (params) => attempt(() => ({ changes: Number(statement.run(...bound(params)).changes) }))
        }
      },
      exec: (text) => attempt(() => database.exec(text)),
      close: () => {
        settle(database, readonly)
        attempt(() => database.close())
      }
    }
  }
})
