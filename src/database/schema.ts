import type { Connection } from "@effect/sql/SqlConnection"
import * as Effect from "effect/Effect"
import { type DatabaseError, DatabaseDamaged, fromCause } from "./DatabaseError.ts"
import { additions } from "./additions.ts"
import { migrations } from "./migrations.ts"

const creation = /^\s*CREATE (?:UNIQUE |VIRTUAL )?(TABLE|INDEX|TRIGGER|VIEW) (\w+)/
const removal = /^\s*DROP (?:TABLE|INDEX|TRIGGER|VIEW) (\w+)/

/** What steps make and leave, by name, and the text of it where nothing changes it later, as it does a table's. */
const expected = (
  steps: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyMap<string, { readonly kind: string; readonly text?: string }> => {
  const made = new Map<string, { readonly kind: string; readonly text?: string }>()
  for (const statement of steps.flat()) {
    const [, kind = "", name] = creation.exec(statement) ?? []
    if (name !== undefined) made.set(name, { kind: kind.toLowerCase(), ...(kind === "TRIGGER" && { text: statement }) })
    const [, removed] = removal.exec(statement) ?? []
    if (removed !== undefined) made.delete(removed)
  }
  return made
}

const whole = expected([...migrations, ...additions])

/** Triggers without which nothing is stored wrongly; they come back by themselves. */
const guards = /^audit_/

/**
 * Compares the schema with the one that the steps make: without a trigger, what is stored and what is read drift apart.
 * Gives the guards that were missing and were put back.
 */
export const checkSchema = (
  file: string,
  connection: Pick<Connection, "execute" | "executeUnprepared">
): Effect.Effect<ReadonlyArray<string>, DatabaseError> =>
  Effect.gen(function* () {
    const rows = yield* connection.execute("SELECT name, sql FROM sqlite_master", [], undefined)
    const found = new Map(rows.map((row) => [String(row["name"]), String(row["sql"])]))
    const wrong = [...whole].filter(([name, { text }]) => {
      const stored = found.get(name)
      return stored === undefined || (text !== undefined && stored !== text)
    })
    const restored = wrong.filter(([name]) => guards.test(name))
    for (const [name, { text = "" }] of restored) {
      yield* connection.executeUnprepared(`DROP TRIGGER IF EXISTS ${name}`, [], undefined)
      yield* connection.executeUnprepared(text, [], undefined)
    }
    const bad = wrong.find(([name]) => !guards.test(name))
    if (bad !== undefined) {
      const [name, { kind }] = bad
      const how = found.has(name) ? "was not created by Tollgate" : "is missing"
      return yield* new DatabaseDamaged({ file, what: `its ${kind} ${name} ${how}` })
    }
    return restored.map(([name]) => name)
  }).pipe(Effect.mapError((error) => (error._tag === "SqlError" ? fromCause(file, error) : error)))
