import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Database } from "../database/Database.ts"
import { DatabaseFailed, fromCause } from "../database/DatabaseError.ts"
import { rowOf, start } from "./AuditChain.ts"
import { AuditRow } from "./AuditEntry.ts"
import type { Ledger } from "./Ledger.ts"

const HeadRow = Schema.Struct({ id: Schema.Number, hash: Schema.String })

const columns =
  "id, time, kind, session, worker, tool, call, approval, digest, arguments, decision, outcome, scope, decided_by, " +
  "reason, waited_millis, previous, hash"

/** The statement stays one whatever the size of the batch. */
const insert = `
  INSERT INTO audit (${columns})
  SELECT ${columns
    .split(", ")
    .map((column) => `e.value ->> '$.${column}'`)
    .join(", ")}
  FROM json_each(?) AS e`

/**
 * The chain in the table `audit`. Its end is read in the transaction that appends to it, so that several processes make one
 * chain.
 */
export const make = (key: Uint8Array): Effect.Effect<Ledger, never, Database> =>
  Effect.gen(function* () {
    const database = yield* Database
    const sql = database.read
    const unreadable = (entry: number) =>
      new DatabaseFailed({
        file: database.file,
        code: "audit",
        reason: `entry ${entry} of the audit cannot be read; it was changed by something else than Tollgate.`
      })
    const decodeRow = Schema.decodeUnknown(AuditRow)
    const decodeHead = Schema.decodeUnknownSync(Schema.Array(HeadRow))

    return {
      append: (entries) =>
        database.write((connection) =>
          Effect.flatMap(
            connection.execute("SELECT id, hash FROM audit ORDER BY id DESC LIMIT 1", [], undefined),
            (found) => {
              let head = decodeHead(found)[0] ?? start
              const rows = entries.map((entry) => {
                const row = rowOf(key, head, entry)
                head = { id: row.id, hash: row.hash }
                return row
              })
              return Effect.as(connection.executeRaw(insert, [JSON.stringify(rows)]), head)
            }
          )
        ),
      page: (after, limit) =>
        sql`SELECT * FROM audit WHERE id > ${after} ORDER BY id LIMIT ${limit}`.pipe(
          Effect.mapError((error) => fromCause(database.file, error)),
          Effect.flatMap(
            Effect.forEach((row, index) => Effect.mapError(decodeRow(row), () => unreadable(after + index + 1)))
          )
        )
    }
  })
