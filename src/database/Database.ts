import type { SqlClient } from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as fs from "node:fs"
import * as path from "node:path"
import { macrotask } from "../system/macrotask.ts"
import { reclaim } from "../system/Temporary.ts"
import * as Anchor from "./Anchor.ts"
import { copiesOf } from "./Backup.ts"
import * as Backup from "./Backup.ts"
import { compare } from "./compare.ts"
import { connect } from "./connect.ts"
import { DatabaseDamaged, type DatabaseError, DatabaseFailed, DatabaseLost, fromCause } from "./DatabaseError.ts"
import { checkEngine } from "./Engine.ts"
import { nameHolder } from "./holder.ts"
import { identify } from "./identity.ts"
import { makeDirectory } from "../system/makeDirectory.ts"
import { checkSchema } from "./schema.ts"
import { shrink, type Shrunk } from "./shrink.ts"
import { open } from "./Sqlite.ts"
import { upgrade } from "./upgrade.ts"
import { watch } from "./Whereabouts.ts"

/** What a write does inside the transaction; it must not wait for anything but the connection. */
export type Write<A> = (connection: Connection) => Effect.Effect<A, SqlError>

/**
 * One SQLite file. Reads and writes have a connection each, so that a read never sees what is not committed, and all
 * writes go through one fiber: a plain statement of `SqliteClient` can otherwise land in another fiber's transaction
 * and be rolled back with it.
 */
export class Database extends Context.Tag("tollgate/database/Database")<
  Database,
  {
    readonly file: string
    /** The version of SQLite. */
    readonly engine: string
    /** The package that brings SQLite. */
    readonly driver: string
    readonly read: SqlClient
    /**
     * Returns once the write is on the disk and anchored; what piled up meanwhile shares one transaction. `moved` says which
     * session's log it moved and how far; `forgets` is a session that it may delete.
     */
    readonly write: <A>(
      run: Write<A>,
      moved?: (value: A) => Moved | undefined,
      forgets?: string
    ) => Effect.Effect<A, DatabaseError>
    /** Copies the whole database into one file and verifies the copy. */
    readonly copyTo: (target: string) => Effect.Effect<void, DatabaseError>
    /** Gives the system back what the file has free, if that is much and no other process uses the file. */
    readonly shrink: Effect.Effect<Shrunk, DatabaseError>
    /** What was noticed and mended when the file was opened; a sentence each. */
    readonly notices: ReadonlyArray<string>
    /** The head of the audit as anchored beside the database; unset before the first, and in files of older versions. */
    readonly anchoredAudit: { readonly id: number; readonly hash: string } | undefined
    /** Anchors the head of the audit. */
    readonly anchorAudit: (head: { readonly id: number; readonly hash: string }) => Effect.Effect<void, DatabaseError>
  }
>() {
  /** Opens or creates the file and brings its schema up to date; what is made is readable for its owner only. */
  static readonly layer = (file: string, options: DatabaseOptions = {}): Layer.Layer<Database, DatabaseError> =>
    Layer.scoped(Database, make(file, options))
}

export interface DatabaseOptions {
  /** How long a write waits for the lock of another process. Default: 5 seconds. */
  readonly lockTimeout?: Duration.DurationInput
}

/** The session whose log a write has moved, and the number of its last event. */
export interface Moved {
  readonly session: string
  readonly head: number
}

const make = (file: string, { lockTimeout = "5 seconds" }: DatabaseOptions) =>
  Effect.gen(function* () {
    // Counted, because a schedule measures time on a clock that can be set back.
    const busy = Schedule.intersect(
      Schedule.spaced(`${retryMillis} millis`),
      Schedule.recurs(Math.ceil(Duration.toMillis(lockTimeout) / (busyMillis + retryMillis)))
    )
    const attempt = <A>(run: () => A) => Effect.try({ try: run, catch: (error) => fromCause(file, error) })
    // Opening a pipe would wait for its other end.
    yield* attempt(() => {
      const found = fs.statSync(file, { throwIfNoEntry: false })
      if (found !== undefined && !found.isFile() && !found.isDirectory())
        throw Object.assign(new Error(), { code: "ENXIO" })
    })
    // Read before the database: what is anchored was committed before, and other processes may commit meanwhile.
    const anchored = yield* Effect.try({
      try: () => Anchor.read(file),
      catch: (error) => fromCause(`${file}-anchor`, error)
    })
    yield* identify(file, anchored)
    yield* attempt(() => {
      makeDirectory(path.dirname(file))
      reclaim(path.dirname(file), path.basename(file))
      fs.closeSync(fs.openSync(file, "a", 0o600))
    })
    const failure = (error: SqlError) => fromCause(file, error)
    const connection = yield* Effect.mapError(open(file, { readonly: false, wal: true }), failure)
    const execute = (statement: string, params: ReadonlyArray<unknown> = []) => connection.executeRaw(statement, params)
    const immediate = <A, E>(self: Effect.Effect<A, E>) =>
      execute("BEGIN IMMEDIATE").pipe(
        Effect.mapError(failure),
        Effect.retry({ schedule: busy, while: (error) => error._tag === "DatabaseLocked" }),
        Effect.mapError((error) => (error._tag === "DatabaseLocked" ? nameHolder(file) : error)),
        Effect.zipRight(self),
        Effect.zipLeft(Effect.mapError(execute("COMMIT"), failure)),
        Effect.onError(() => Effect.ignore(execute("ROLLBACK")))
      )

    yield* Effect.mapError(
      Effect.forEach(
        [
          `busy_timeout = ${busyMillis}`,
          "synchronous = FULL",
          "foreign_keys = ON",
          `journal_size_limit = ${journalBytes}`
        ],
        (pragma) => connection.execute(`PRAGMA ${pragma}`, [], undefined)
      ),
      failure
    )
    const engine = yield* checkEngine(file, connection)
    const state = yield* upgrade(file, connection, immediate)
    const restored = yield* checkSchema(file, connection)
    const unanchored = yield* compare(file, connection, state, anchored)
    const anchor = yield* Effect.acquireRelease(
      attempt(() => {
        if (unanchored) Anchor.create(file, state, { replace: anchored !== undefined })
        return Anchor.open(file)
      }),
      (opened) => Effect.ignore(attempt(opened.close))
    )
    const notices = [
      ...(unanchored && state.commits > 0
        ? [
            `The anchor of the database ${file} was missing and is created again: earlier losses of the database cannot be detected.`
          ]
        : []),
      ...restored.map((name) => `The trigger ${name} of the database ${file} was missing and was restored.`)
    ]
    const whereabouts = watch(file)
    const read = yield* connect(file)

    let pending: Array<Op> = []
    let closed = false
    const wake = Effect.unsafeMakeLatch(false)
    const run = (op: Op) =>
      Effect.mapError(
        Effect.suspend(() => op.run(connection)),
        failure
      )
    let lost: DatabaseLost | undefined
    /** Saves the content of the open file, which would be lost with the process. */
    const rescue = ({ how, path: gone }: { readonly how: string; readonly path: string }) =>
      Effect.gen(function* () {
        const target = `${file}.${process.pid}.rescued`
        const saved = yield* Effect.isSuccess(Backup.copy(file, connection, target))
        const where = saved ? `its content until then is in ${target}` : "it could not be saved"
        lost = new DatabaseLost({
          file,
          what: `${gone} was ${how} while it was open; ${where}`,
          copies: copiesOf(file)
        })
        return yield* lost
      })
    /** Nothing counts as stored in a file that cannot be found again. */
    const inPlace = Effect.suspend(() => {
      const gone = whereabouts()
      return gone === undefined ? Effect.void : rescue(gone)
    })
    const count = Effect.flatMap(
      Effect.mapError(
        connection.execute("UPDATE store SET commits = commits + 1 RETURNING commits", [], undefined),
        failure
      ),
      ([row]) => {
        const commit = row?.["commits"]
        return typeof commit === "number"
          ? Effect.as(
              attempt(() => anchor.begin(commit)),
              commit
            )
          : new DatabaseDamaged({ file, what: "its table store is empty" })
      }
    )
    /** One transaction, which counts once it is anchored; where that fails it is stored all the same, and not run again. */
    const together = (ops: ReadonlyArray<Op>) =>
      Effect.suspend(() => {
        const heads = new Map<string, number>()
        const one = (op: Op) =>
          Effect.tap(run(op), (value) => {
            const moved = op.moved?.(value)
            if (moved !== undefined) heads.set(moved.session, moved.head)
            return Effect.void
          })
        const forgotten = ops.flatMap(({ forgets }) => forgets ?? [])
        // Before the commit: what is anchored must not outlive what is stored.
        const forget = forgotten.length === 0 ? Effect.void : attempt(() => anchor.forget(forgotten))
        const all = Effect.zipLeft(Effect.all([count, Effect.forEach(ops, one)]), forget)
        return Effect.flatMap(lost === undefined ? immediate(all) : lost, ([commit, values]) =>
          attempt(() => anchor.end(commit, heads)).pipe(
            Effect.zipRight(inPlace),
            Effect.exit,
            Effect.map((anchored) => values.map((value) => Exit.as(anchored, value)))
          )
        )
      })
    const alone = (op: Op) => commit([op])
    // A defect is the failure of the write that has it: the writer lives on for the others.
    const commit = (batch: ReadonlyArray<Op>): Effect.Effect<ReadonlyArray<Exit.Exit<unknown, DatabaseError>>> =>
      Effect.catchAllCause(together(batch), (cause) =>
        batch.length === 1 || isCommon(cause)
          ? Effect.succeed(batch.map(() => Exit.failCause(cause)))
          : Effect.map(Effect.forEach(batch, alone), (each) => each.flat())
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
      // A batch is what has queued up by then.
      Effect.zipRight(macrotask),
      Effect.zipRight(Effect.sync(() => wake.unsafeClose())),
      Effect.zipRight(flush),
      Effect.forever,
      Effect.interruptible,
      Effect.forkScoped
    )
    const write = <A>(
      run: Write<A>,
      moved?: (value: A) => Moved | undefined,
      forgets?: string
    ): Effect.Effect<A, DatabaseError> =>
      Effect.async<A, DatabaseError>((resume) => {
        if (closed) return resume(new DatabaseFailed({ file, code: "closed", reason: "it has been closed" }))
        pending.push({ run, moved: moved as Op["moved"], forgets, resume: resume as Op["resume"] })
        wake.unsafeOpen()
      })
    return Database.of({
      file,
      engine,
      driver: connection.driver,
      read,
      write,
      copyTo: (target) =>
        Effect.scoped(
          Effect.flatMap(Effect.mapError(open(file, { readonly: true, wal: true }), failure), (own) =>
            Backup.copy(file, own, target)
          )
        ),
      shrink: Effect.mapError(shrink(file, connection), failure),
      notices,
      anchoredAudit: anchored?.audit,
      anchorAudit: (head) => attempt(() => anchor.audit(head))
    })
  })

/** How long SQLite itself waits for a lock, which holds up the event loop, and the pause until it is asked again. */
const busyMillis = 50
const retryMillis = 25

/** Bytes that the log keeps on the disk once it has been written back. */
const journalBytes = 16 * 1024 * 1024

/** What meets every write of a batch alike. */
const isCommon = (cause: Cause.Cause<DatabaseError>): boolean =>
  Option.exists(Cause.failureOption(cause), ({ _tag }) => _tag === "DatabaseLocked" || _tag === "DatabaseLost")

interface Op {
  readonly run: Write<unknown>
  readonly moved: ((value: unknown) => Moved | undefined) | undefined
  readonly forgets: string | undefined
  readonly resume: (exit: Exit.Exit<unknown, DatabaseError>) => void
}
