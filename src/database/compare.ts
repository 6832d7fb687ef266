import type { Connection } from "@effect/sql/SqlConnection"
import * as Effect from "effect/Effect"
import type { Anchored } from "./Anchor.ts"
import { copiesOf } from "./Backup.ts"
import { type DatabaseError, DatabaseLost, fromCause } from "./DatabaseError.ts"

interface Stored {
  readonly name: string
  readonly commits: number
}

const shortOf = `SELECT known.key AS session, known.value AS anchored, coalesce(session.head, 0) AS head
  FROM json_each(?) AS known LEFT JOIN sessions AS session ON session.id = known.key
  WHERE coalesce(session.head, 0) < known.value ORDER BY known.key LIMIT 4`

/** Fails where the database has less than its anchor knows to be stored; says whether it has no anchor to compare with. */
export const compare = (
  file: string,
  connection: Pick<Connection, "execute">,
  { commits, name }: Stored,
  anchored: Anchored | undefined
): Effect.Effect<boolean, DatabaseError> =>
  Effect.gen(function* () {
    if (anchored?.of === undefined) return true
    const fail = (what: string) => new DatabaseLost({ file, what, copies: copiesOf(file) })
    if (anchored.of !== name) return yield* fail("it is not the database that was used last")
    const missing = anchored.commits - commits
    const rows = yield* Effect.mapError(
      connection.execute(shortOf, [JSON.stringify(Object.fromEntries(anchored.heads))], undefined),
      (error) => fromCause(file, error)
    )
    if (missing <= 0 && rows.length === 0) return false
    const sessions = rows
      .slice(0, 3)
      .map(
        (row) => `session ${String(row["session"])} ends at event ${Number(row["head"])} of ${Number(row["anchored"])}`
      )
    const parts = [...(missing > 0 ? [`${missing} acknowledged commits are missing`] : []), ...sessions]
    return yield* fail(`${parts.join("; ")}${rows.length > 3 ? "; and more sessions" : ""}`)
  })
