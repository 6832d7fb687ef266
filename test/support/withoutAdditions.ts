import { additions } from "../../src/database/additions.ts"
import type { Sqlite } from "./Sqlite.ts"

/** What undoes a statement of the schema. */
const undone = (statement: string): ReadonlyArray<string> => {
  const [, kind, name] = /^CREATE (?:UNIQUE |VIRTUAL )?(TABLE|INDEX|VIEW|TRIGGER) (\w+)/.exec(statement) ?? []
  if (kind !== undefined) return [`DROP ${kind} IF EXISTS ${name}`]
  const [, table, column] = /^ALTER TABLE (\w+) ADD COLUMN (\w+)/.exec(statement) ?? []
  return table === undefined ? [] : [`ALTER TABLE ${table} DROP COLUMN ${column}`]
}

/** Takes a database back to what it was before there were additions. */
export const withoutAdditions = (database: Sqlite): void => {
  const steps = additions.flat().toReversed().flatMap(undone)
  const isTrigger = (step: string) => step.startsWith("DROP TRIGGER")
  for (const step of [...steps.filter(isTrigger), ...steps.filter((step) => !isTrigger(step))]) database.exec(step)
  database.exec("PRAGMA application_id = 0")
}
