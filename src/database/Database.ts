// @effect-diagnostics globalTimers:off - the writer waits for a macrotask of the loop, not for a time
import * as Reactivity from "@effect/experimental/Reactivity"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import * as path from "node:path"
import { type DatabaseError, DatabaseFailed, DatabaseTooNew, fromCause } from "./DatabaseError.ts"
import { checkEngine } from "./Engine.ts"
import { makeDirectory } from "./makeDirectory.ts"
import { migrations } from "./migrations.ts"

/** What a write does inside the transaction; it must not wait for anything but the connection. */
export type Write<A> = (connection: Connection) => Effect.Effect<A, SqlError>

/**
 * One SQLite file. Reads and writes have a connection each, so that a read never sees what is not committed, and all
 * writes go through one fiber: a plain statement of `SqliteClient` can otherwise land in another fiber's transaction and
 * be rolled back with it.
 */
export class Database extends Context.Tag("tollgate/database/Database")<
  Database,
  {
    readonly file: string
    /** The version of SQLite. */
    readonly engine: string
    readonly read: SqlClient
    /** Returns once the write is on the disk; what piled up meanwhile shares one transaction. */
    readonly write: <A>(run: Write<A>) => Effect.Effect<A, DatabaseError>
  }
>() {
  /** Opens or creates the file and brings its schema up to date; what is made is readable for its owner only. */
  static readonly layer = (file: string, options: DatabaseOptions = {}): Layer.Layer<Database, DatabaseError> =>
    Layer.scoped(Database, make(file, options))
}

export interface DatabaseOptions {
  /** How long a write waits for another process that holds the lock; 5 seconds where absent. */
  readonly lockTimeout?: Duration.DurationInput
}

const open = (file: string, readonly: boolean): Effect.Effect<SqliteClient.SqliteClient, DatabaseError, Scope.Scope> =>
  SqliteClient.make({ filename: file, readonly, disableWAL: readonly }).pipe(
    Effect.provide(Reactivity.layer),
    Effect.catchAllDefect((defect) => Effect.fail(fromCause(file, defect)))
  )

const make = (file: string, { lockTimeout = "5 seconds" }: DatabaseOptions) =>
  Effect.gen(function* () {
    // Counted, because a schedule measures time on a clock that can be set back.
    const busy = Schedule.intersect(
      Schedule.spaced(`${retryMillis} millis`),
      Schedule.recurs(Math.ceil(Duration.toMillis(lockTimeout) / (busyMillis + retryMillis)))
    )
    yield* Effect.try({
      try: () => {
        makeDirectory(path.dirname(file))
        fs.closeSync(fs.openSync(file, "a", 0o600))
      },
      catch: (error) => fromCause(file, error)
    })
    const failure = (error: SqlError) => fromCause(file, error)
    const writer = yield* open(file, false)
    const connection = yield* Effect.mapError(writer.reserve, failure)
    const execute = (statement: string, params: ReadonlyArray<unknown> = []) => connection.executeRaw(statement, params)
    const immediate = <A, E>(self: Effect.Effect<A, E>) =>
      execute("BEGIN IMMEDIATE").pipe(
        Effect.mapError(failure),
        Effect.retry({ schedule: busy, while: (error) => error._tag === "DatabaseLocked" }),
        Effect.zipRight(self),
        Effect.zipLeft(Effect.mapError(execute("COMMIT"), failure)),
        Effect.onError(() => Effect.ignore(execute("ROLLBACK")))
      )

    yield* Effect.mapError(
      Effect.forEach([`busy_timeout = ${busyMillis}`, "synchronous = FULL", "foreign_keys = ON"], (pragma) =>
        connection.execute(`PRAGMA ${pragma}`, [], undefined)
      ),
      failure
    )
    const engine = yield* checkEngine(file, connection)
    yield* migrate(file, connection, immediate)
    const read = yield* open(file, true)

    let pending: Array<Op> = []
    let closed = false
    const wake = Effect.unsafeMakeLatch(false)
    const run = (op: Op) =>
      Effect.mapError(
        Effect.suspend(() => op.run(connection)),
        failure
      )
    const alone = (op: Op) => Effect.exit(immediate(run(op)))
    // A defect is the failure of the write that has it: the writer lives on for the others.
    const commit = (batch: ReadonlyArray<Op>) =>
      immediate(Effect.forEach(batch, run)).pipe(
        Effect.map((values) => values.map(Exit.succeed)),
        Effect.catchAllCause((cause) =>
          batch.length === 1 || isLocked(cause)
            ? Effect.succeed(batch.map(() => Exit.failCause(cause)))
            : Effect.forEach(batch, alone)
        )
      )
    const drain: Effect.Effect<void> = Effect.suspend(() => {
      const batch = pending
      pending = []
      return batch.length === 0
        ? Effect.void
        : Effect.map(commit(batch), (exits) => batch.forEach((op, index) => op.resume(exits[index] ?? Exit.void)))
    })
    const flush = Effect.uninterruptible(drain)
    yield* Effect.addFinalizer(() => {
      closed = true
      return flush
    })
    yield* wake.await.pipe(
      Effect.zipRight(macrotask),
      Effect.zipRight(Effect.sync(() => wake.unsafeClose())),
      Effect.zipRight(flush),
      Effect.forever,
      Effect.interruptible,
      Effect.forkScoped
    )
    const write = <A>(run: Write<A>): Effect.Effect<A, DatabaseError> =>
      Effect.async<A, DatabaseError>((resume) => {
        if (closed) return resume(new DatabaseFailed({ file, code: "closed", reason: "it has been closed" }))
        pending.push({ run, resume: resume as Op["resume"] })
        wake.unsafeOpen()
      })
    return { file, engine, read, write }
  })

/** How long SQLite itself waits for a lock, which holds up the event loop, and the pause until it is asked again. */
const busyMillis = 50
const retryMillis = 25

const isLocked = (cause: Cause.Cause<DatabaseError>): boolean =>
  Option.exists(Cause.failureOption(cause), ({ _tag }) => _tag === "DatabaseLocked")

interface Op {
  readonly run: Write<unknown>
  readonly resume: (exit: Exit.Exit<unknown, DatabaseError>) => void
}

/** Lets everything that can run now run first, so that a batch is whatever piled up until then, without a timer. */
const macrotask = Effect.async<void>((resume) => {
  const handle = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(handle))
})

const migrate = (
  file: string,
  connection: Connection,
  immediate: <A>(self: Effect.Effect<A, DatabaseError>) => Effect.Effect<A, DatabaseError>
): Effect.Effect<void, DatabaseError> => {
  const run = (statement: string) =>
    Effect.mapError(connection.executeUnprepared(statement, [], undefined), (error) => fromCause(file, error))
  const version = Effect.map(run("PRAGMA user_version"), (rows) => Number(rows[0]?.user_version))
  const upgrade = Effect.flatMap(version, (found) =>
    Effect.zipRight(
      Effect.forEach(migrations.slice(found).flat(), run, { discard: true }),
      run(`PRAGMA user_version = ${migrations.length}`)
    )
  )
  return Effect.flatMap(version, (found) =>
    found === migrations.length
      ? Effect.void
      : found > migrations.length
        ? new DatabaseTooNew({ file, found, supported: migrations.length })
        : immediate(upgrade)
  )
}
