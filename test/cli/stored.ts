import * as path from "node:path"
import { Sqlite } from "../support/Sqlite.ts"
import type { Place } from "./command.ts"

export const database = (at: Place): string => path.join(at.env["TOLLGATE_HOME"]!, "tollgate.db")

/** The rows of a query, as somebody reads them who has the file. */
export const rowsOf = <Row>(at: Place, query: string): ReadonlyArray<Row> => {
  const file = new Sqlite(database(at), { readonly: true })
  try {
    return file.all<Row>(query)
  } finally {
    file.close()
  }
}

/** The first column of a query. */
export const valuesOf = (at: Place, query: string): ReadonlyArray<unknown> =>
  rowsOf<object>(at, query).map((row) => Object.values(row)[0] as unknown)

/** The tags of all events, in the order in which they were stored. */
export const tagsOf = (at: Place): ReadonlyArray<string> =>
  rowsOf<{ readonly tag: string }>(at, "SELECT tag FROM events ORDER BY rowid").map(({ tag }) => tag)

/** All events as they are stored, a line each. */
export const eventsOf = (at: Place): string => valuesOf(at, "SELECT event FROM events ORDER BY rowid").join("\n")

export const sessionsOf = (at: Place): ReadonlyArray<{ readonly id: string; readonly title: string }> =>
  rowsOf(at, "SELECT id, title FROM sessions ORDER BY created_at")

export interface Requested {
  readonly id: string
  readonly digest: string
  readonly sessionId: string
}

/** The last request for approval. */
export const requestOf = (at: Place): Requested | undefined => {
  const [row] = rowsOf<{ readonly event: string; readonly session: string }>(
    at,
    "SELECT event, session_id AS session FROM events WHERE tag = 'ApprovalRequested' ORDER BY rowid DESC LIMIT 1"
  )
  if (row === undefined) return undefined
  const { request } = JSON.parse(row.event) as { readonly request: Omit<Requested, "sessionId"> }
  return { id: request.id, digest: request.digest, sessionId: row.session }
}

/** What the audit says of who decided, without the requests themselves. */
export const decisionsOf = (at: Place): ReadonlyArray<string> =>
  rowsOf<Record<"decided_by" | "kind" | "outcome", string | null>>(
    at,
    "SELECT kind, outcome, decided_by FROM audit WHERE kind <> 'requested' ORDER BY id"
  ).map(({ decided_by, kind, outcome }) => [kind, outcome, decided_by].join(" "))
