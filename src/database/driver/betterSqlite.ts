import type * as BetterSqlite from "better-sqlite3"
import { bindable, type Driver, type Row, SqliteError } from "./Driver.ts"

/** The failure under SQLite's own code; what the package refuses itself has none. */
const coded = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error
  const { message } = error
  if ("code" in error && typeof error.code === "string") return new SqliteError({ code: error.code, message })
  return new SqliteError({ code: message.includes("directory") ? "SQLITE_CANTOPEN" : "SQLITE_MISUSE", message })
}

const attempt = <A>(run: () => A): A => {
  try {
    return run()
  } catch (error) {
    throw coded(error)
  }
}

/** SQLite by better-sqlite3 13. */
export const betterSqlite = (Database: typeof BetterSqlite.default): Driver => ({
  name: "better-sqlite3",
  open: (file, { readonly, timeout }) => {
    const database = attempt(() => new Database(file, { readonly, timeout }))
    return {
      prepare: (text) => {
        const statement = attempt(() => database.prepare(text))
        return {
          reads: statement.reader,
          all: (params) => attempt(() => statement.all(...bindable(params)) as ReadonlyArray<Row>),
          values: (params) =>
            attempt(() => {
              try {
                return statement.raw(true).all(...bindable(params)) as ReadonlyArray<ReadonlyArray<unknown>>
              } finally {
                statement.raw(false)
              }
            }),
          run: (params) => attempt(() => statement.run(...bindable(params)))
        }
      },
      exec: (text) => attempt(() => void database.exec(text)),
      close: () => attempt(() => void database.close())
    }
  }
})
