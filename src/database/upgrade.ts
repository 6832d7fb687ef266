import type { Connection } from "@effect/sql/SqlConnection"
import * as Effect from "effect/Effect"
import { additions } from "./additions.ts"
import * as Backup from "./Backup.ts"
import { type DatabaseError, DatabaseDamaged, DatabaseTooNew, fromCause } from "./DatabaseError.ts"
import { applicationId } from "./identity.ts"
import { migrations } from "./migrations.ts"

interface State {
  readonly version: number
  readonly added: number
  readonly name: string
  readonly commits: number
}

/** Brings the schema up to date, behind a backup where there is something to lose, and says how the file stands then. */
export const upgrade = (
  file: string,
  connection: Connection,
  immediate: <A>(self: Effect.Effect<A, DatabaseError>) => Effect.Effect<A, DatabaseError>
): Effect.Effect<State, DatabaseError> => {
  const run = (statement: string) =>
    Effect.mapError(connection.executeUnprepared(statement, [], undefined), (error) => fromCause(file, error))
  const state: Effect.Effect<State, DatabaseError> = Effect.gen(function* () {
    const [head] = yield* run("PRAGMA user_version")
    const version = Number(head?.["user_version"])
    if (version > migrations.length) {
      return yield* new DatabaseTooNew({ file, found: version, supported: migrations.length })
    }
    const tables = yield* run("SELECT name FROM sqlite_master WHERE name = 'store'")
    if (tables.length === 0) return { version, added: 0, name: "", commits: 0 }
    const [store] = yield* run("SELECT name, commits, additions FROM store")
    if (store === undefined) return yield* new DatabaseDamaged({ file, what: "its table store is empty" })
    const { additions: added, commits, name } = store
    return { version, added: Number(added), name: String(name), commits: Number(commits) }
  })
  const isCurrent = ({ added, version }: State) => version === migrations.length && added >= additions.length
  const steps = Effect.flatMap(state, (found) =>
    isCurrent(found)
      ? Effect.void
      : Effect.forEach(
          [
            ...migrations.slice(found.version).flat(),
            ...additions.slice(found.added).flat(),
            `UPDATE store SET additions = ${additions.length}`,
            `PRAGMA user_version = ${migrations.length}`,
            `PRAGMA application_id = ${applicationId}`
          ],
          run,
          { discard: true }
        )
  )
  return Effect.gen(function* () {
    const found = yield* state
    if (isCurrent(found)) return found
    if (found.version > 0) {
      const target = `${file}.v${found.version}.${found.added}.backup`
      yield* Backup.copy(file, connection, target)
    }
    yield* immediate(steps)
    return yield* state
  })
}
