import * as fs from "node:fs"
import * as path from "node:path"
import { Sqlite } from "../support/Sqlite.ts"

const columns: Readonly<Record<string, string>> = {
  args: "arguments",
  params: "arguments",
  actor: "decided_by",
  by: "decided_by",
  tool_name: "tool",
  call_id: "call",
  approval_id: "approval",
  ts: "time",
  timestamp: "time",
  at: "time",
  prev: "previous",
  prev_hash: "previous",
  session_id: "session"
}

/** Statements for what is said in words. */
const inWords = (what: string): ReadonlyArray<string> => {
  const row = /(?:row|entry|id)\s*(?:=\s*)?(\d+)/.exec(what)?.[1] ?? "1"
  if (/swap|reorder|exchange/.test(what)) {
    return [
      "UPDATE audit SET id = -1 WHERE id = 1",
      "UPDATE audit SET id = 1 WHERE id = 2",
      "UPDATE audit SET id = 2 WHERE id = -1"
    ]
  }
  if (/insert|append|add|forge/.test(what)) {
    return [
      "CREATE TEMP TABLE made AS SELECT * FROM audit WHERE id = (SELECT max(id) FROM audit)",
      "UPDATE made SET id = id + 1, previous = hash",
      "INSERT INTO audit SELECT * FROM made"
    ]
  }
  if (/all|every|whole|wipe|empty|clear/.test(what)) return ["DELETE FROM audit"]
  if (/last|tail|trunc|cut|end/.test(what)) return ["DELETE FROM audit WHERE id = (SELECT max(id) FROM audit)"]
  if (/delete|remove|drop/.test(what)) return [`DELETE FROM audit WHERE id = ${/first/.test(what) ? 1 : row}`]
  return [`UPDATE audit SET reason = 'changed' WHERE id = ${row}`]
}

const spelled = (statement: string): string =>
  statement.replaceAll(/\b\w+\b(?=\s*(?:=|,|\)|IS\b|IN\b))/gi, (word) => columns[word.toLowerCase()] ?? word)

/** Changes the audit behind the back of the runtime, by a statement or in words. */
export const tamper = (world: { readonly database: string; readonly directory: string }, what: string): void => {
  const said = what.toLowerCase()
  const file = (name: string) => path.join(world.directory, "keys", name)
  if (/\bkey\b/.test(said)) return fs.rmSync(file("audit.key"), { force: true })
  if (/anchor|\bhead\b/.test(said)) return fs.rmSync(file("audit.head"), { force: true })
  const database = new Sqlite(world.database)
  try {
    database.exec("DROP TRIGGER IF EXISTS audit_unchanged; DROP TRIGGER IF EXISTS audit_kept")
    if (/^\s*(?:update|delete\s+from|insert)\b/.test(said)) {
      try {
        return void database.exec(spelled(what))
      } catch {
        // A statement for another table means what its words say.
      }
    }
    for (const statement of inWords(said)) database.exec(statement)
  } finally {
    database.close()
  }
}
