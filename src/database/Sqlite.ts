import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as path from "node:path"
import type { Handle, Row, Statement } from "./driver/Driver.ts"
import { driver } from "./driver/load.ts"
import { openShared } from "./sharing.ts"

const attempt = <A>(run: () => A): Effect.Effect<A, SqlError> =>
  Effect.try({ try: run, catch: (cause) => new SqlError({ cause, message: "SQLite refused the statement" }) })

/** Statements that stay prepared; the one that was used longest ago gives way. */
const maxPrepared = 200

/** How long opening waits for another process; a PRAGMA may shorten it. */
const openMillis = 5000

/** One connection to a SQLite file, beyond what `@effect/sql` asks of one. */
export interface SqliteConnection extends Connection {
  /** The package that brings SQLite. */
  readonly driver: string
  /** Runs statements without rows; none stays prepared. */
  readonly script: (statements: string) => Effect.Effect<void, SqlError>
}

export interface ConnectOptions {
  /** Changes nothing, not even how the file is journaled. */
  readonly readonly: boolean
  /** Journals ahead of the file, as everything does that several connections use at once. */
  readonly wal: boolean
}

type Transform = Parameters<Connection["execute"]>[2]

const connection = (name: string, handle: Handle): SqliteConnection => {
  const prepared = new Map<string, Statement>()
  const cached = (text: string): Statement => {
    const found = prepared.get(text) ?? handle.prepare(text)
    prepared.delete(text)
    prepared.set(text, found)
    const [oldest] = prepared.keys()
    if (prepared.size > maxPrepared && oldest !== undefined) prepared.delete(oldest)
    return found
  }
  const rows = (statement: Statement, params: ReadonlyArray<unknown>, transform: Transform): ReadonlyArray<Row> => {
    if (!statement.reads) statement.run(params)
    const found = statement.reads ? statement.all(params) : []
    return transform === undefined ? found : transform(found)
  }
  return {
    driver: name,
    execute: (text, params, transform) => attempt(() => rows(cached(text), params, transform)),
    executeRaw: (text, params) =>
      attempt(() => {
        const statement = cached(text)
        return statement.reads ? statement.all(params) : statement.run(params)
      }),
    executeValues: (text, params) =>
      attempt(() => {
        const statement = cached(text)
        if (statement.reads) return statement.values(params)
        statement.run(params)
        return []
      }),
    executeUnprepared: (text, params, transform) => attempt(() => rows(handle.prepare(text), params, transform)),
    executeStream: () => Stream.dieMessage("SQLite rows are not streamed; read them in pages."),
    script: (statements) => attempt(() => handle.exec(statements))
  }
}

/** Opens a file until the scope ends. */
export const open = (file: string, options: ConnectOptions): Effect.Effect<SqliteConnection, SqlError, Scope.Scope> =>
  Effect.gen(function* () {
    const found = yield* Effect.mapError(driver, (cause) => new SqlError({ cause, message: cause.message }))
    const settings = { readonly: options.readonly, timeout: openMillis }
    const handle = yield* Effect.acquireRelease(
      attempt(() =>
        options.wal ? openShared(found, path.resolve(file), settings) : found.open(path.resolve(file), settings)
      ),
      (handle) => Effect.sync(() => handle.close())
    )
    if (options.wal && !options.readonly) yield* attempt(() => handle.exec("PRAGMA journal_mode = WAL"))
    return connection(found.name, handle)
  })
