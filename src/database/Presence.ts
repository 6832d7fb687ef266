import { SqlError } from "@effect/sql/SqlError"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as SynchronizedRef from "effect/SynchronizedRef"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { fromCause } from "./DatabaseError.ts"
import { isGone } from "../system/Temporary.ts"
import { open } from "./Sqlite.ts"

/**
 * Who lives: every process that owns something holds SQLite's lock on an empty file with a name that is never used
 * again. The system frees the lock when the process ends, however it ends, and only then: no clock counts, a stopped
 * process lives, and a reused process id means nothing. Call these inside a write to the database, whose lock keeps
 * other processes from appearing meanwhile.
 */
const idPattern = /^(\d+)-[0-9a-f]{16}$/

/** The number of a process, as people know it. */
export const pidOf = (id: string): number => Number(idPattern.exec(id)?.[1] ?? 0)

/** Files of the dead that are tidied up at a time. */
const maxTidied = 32

const attempt = <A>(run: () => A): Effect.Effect<A, SqlError> =>
  Effect.try({ try: run, catch: (cause) => new SqlError({ cause, message: "Failed to show that the process lives" }) })

/** Whether the process of that id lives. */
export const isPresent = (directory: string, id: string): Effect.Effect<boolean, SqlError> => {
  const file = path.join(directory, id)
  const look = Effect.gen(function* () {
    const connection = yield* open(file, { readonly: true, wal: false })
    yield* connection.script("PRAGMA busy_timeout = 0")
    yield* connection.script("SELECT 1 FROM sqlite_master")
    return false
  })
  return Effect.suspend(() =>
    idPattern.test(id) && fs.existsSync(file)
      ? Effect.catchAll(Effect.scoped(look), (error) =>
          fromCause(file, error)._tag === "DatabaseLocked"
            ? Effect.succeed(true)
            : fs.existsSync(file)
              ? error
              : Effect.succeed(false)
        )
      : Effect.succeed(false)
  )
}

/** Removes what the dead left behind; the files of processes that are gone by their number come first. */
const tidy = (directory: string): Effect.Effect<void, SqlError> =>
  Effect.flatMap(
    attempt(() => {
      const names = fs.readdirSync(directory).filter((name) => idPattern.test(name))
      const [living, gone] = Arr.partition(names, (name) => isGone(pidOf(name)))
      return [...gone, ...living]
    }),
    (names) =>
      Effect.forEach(
        names.slice(0, maxTidied),
        (id) =>
          Effect.flatMap(isPresent(directory, id), (present) =>
            present ? Effect.void : attempt(() => fs.rmSync(path.join(directory, id), { force: true }))
          ),
        { discard: true }
      )
  )

/** Shows that this process lives, until the scope ends; gives the id that says so. */
export const appear = (directory: string): Effect.Effect<string, SqlError, Scope.Scope> =>
  Effect.gen(function* () {
    const id = `${process.pid}-${crypto.randomBytes(8).toString("hex")}`
    const file = path.join(directory, id)
    yield* attempt(() => fs.mkdirSync(directory, { recursive: true, mode: 0o700 }))
    yield* tidy(directory)
    yield* Effect.addFinalizer(() => Effect.ignore(attempt(() => fs.rmSync(file, { force: true }))))
    yield* attempt(() => fs.closeSync(fs.openSync(file, "wx", 0o600)))
    const connection = yield* open(file, { readonly: false, wal: false })
    yield* connection.script("PRAGMA journal_mode = MEMORY")
    yield* connection.script("BEGIN EXCLUSIVE")
    return id
  })

/** The same with the first use, and once. */
export const appearing = (directory: string): Effect.Effect<Effect.Effect<string, SqlError>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const known = yield* SynchronizedRef.make(Option.none<string>())
    const appeared = Effect.map(Scope.extend(appear(directory), scope), Option.some)
    return SynchronizedRef.updateAndGetEffect(known, (id) => (Option.isSome(id) ? Effect.succeed(id) : appeared)).pipe(
      Effect.map(Option.getOrThrow)
    )
  })
