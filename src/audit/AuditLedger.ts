import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import { Database } from "../database/Database.ts"
import { type DatabaseError, DatabaseFailed, fromCause } from "../database/DatabaseError.ts"
import * as AuditAnchor from "./AuditAnchor.ts"
import { AuditRow, type Break, cutBefore, fault, type Head, otherAt, rowOf, start, type Timed } from "./AuditChain.ts"

/** Where the chain of the audit is kept. */
export interface Ledger {
  /** Appends in one transaction and gives the new head. */
  readonly append: (entries: ReadonlyArray<Timed>) => Effect.Effect<Head, DatabaseError>
  /** Which of these ids of requests are in it. */
  readonly known: (approvals: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, DatabaseError>
  /** The last row that says how a request ended whose id begins so. */
  readonly resolved: (beginning: string) => Effect.Effect<Option.Option<AuditRow>, DatabaseError>
  /** At most `limit` rows after number `after`. */
  readonly page: (after: number, limit: number) => Effect.Effect<ReadonlyArray<AuditRow>, DatabaseError>
}

const HeadRow = Schema.Struct({ id: Schema.Number, hash: Schema.String })
const decodeHeads = Schema.decodeUnknownSync(Schema.Array(HeadRow))
const decodeRows = Schema.decodeUnknownOption(Schema.Array(AuditRow))

const decodeApprovals = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ approval: Schema.String })))

const headAt = (connection: Pick<Connection, "execute">, which: string): Effect.Effect<Head, SqlError> =>
  Effect.map(
    connection.execute(`SELECT id, hash FROM audit ${which}`, [], undefined),
    (rows) => decodeHeads(rows)[0] ?? start
  )

const lastOf = (connection: Pick<Connection, "execute">) => headAt(connection, "ORDER BY id DESC LIMIT 1")

const columns =
  "id, time, kind, session, worker, tool, call, approval, digest, arguments, decision, outcome, scope, decided_by, " +
  "reason, waited_millis, previous, hash"

/** One statement for a batch of any size. */
const insert = `
  INSERT INTO audit (${columns})
  SELECT ${columns
    .split(", ")
    .map((column) => `e.value ->> '$.${column}'`)
    .join(", ")}
  FROM json_each(?) AS e`

/** Entries behind the head that are checked when the audit is opened; more would be more than a killed process leaves behind. */
const maxBehind = 1000

/** The first fault from a head that should be in the chain to its end. */
const faultBehind = (
  connection: Pick<Connection, "execute">,
  last: Head,
  key: Uint8Array,
  anchored: Head
): Effect.Effect<Break | undefined, SqlError> =>
  Effect.gen(function* () {
    const cut = cutBefore(anchored, last)
    if (cut !== undefined) return cut
    const rows = yield* connection.execute(
      "SELECT * FROM audit WHERE id >= ? ORDER BY id LIMIT ?",
      [Math.max(1, anchored.id), maxBehind],
      undefined
    )
    const decoded = decodeRows(rows)
    if (Option.isNone(decoded)) return { entry: anchored.id + 1, reason: "it was changed" }
    let head = anchored
    for (const row of decoded.value) {
      if (row.id === anchored.id) {
        if (row.hash !== anchored.hash) return otherAt(row.id)
        continue
      }
      const reason = fault(key, head, row)
      if (reason !== undefined) return { entry: head.id + 1, reason }
      head = { id: row.id, hash: row.hash }
    }
    return undefined
  })

/** Opens the key and the head of the audit under the write lock, and compares them with the chain. */
export const openAnchor = (
  directory: string
): Effect.Effect<AuditAnchor.Anchor, AuditAnchor.AuditAnchorFailed | DatabaseError, Database> =>
  Effect.gen(function* () {
    const database = yield* Database
    return yield* Effect.flatten(
      database.write((connection) =>
        Effect.flatMap(lastOf(connection), (last) =>
          AuditAnchor.open(directory, {
            last,
            witness: database.anchoredAudit,
            faultBehind: (key, head) => faultBehind(connection, last, key, head)
          }).pipe(
            Effect.map(Either.right),
            Effect.catchTag("AuditAnchorFailed", (error) => Effect.succeed(Either.left(error)))
          )
        )
      )
    )
  })

/**
 * The chain in the table `audit`. Its end is read in the transaction that appends to it, so that several processes make one
 * chain.
 */
export const sql = (key: Uint8Array): Effect.Effect<Ledger, never, Database> =>
  Effect.gen(function* () {
    const database = yield* Database
    const sql = database.read
    const unreadable = (entry: number) =>
      new DatabaseFailed({
        file: database.file,
        code: "audit",
        reason: `entry ${entry} of the audit cannot be read; it was changed by another program.`
      })
    const decodeRow = Schema.decodeUnknown(AuditRow)
    const decodeRowOption = Schema.decodeUnknownOption(AuditRow)

    return {
      append: (entries) =>
        database.write((connection) =>
          Effect.flatMap(lastOf(connection), (last) => {
            let head = last
            const rows = entries.map((entry) => {
              const row = rowOf(key, head, entry)
              head = { id: row.id, hash: row.hash }
              return row
            })
            return Effect.as(connection.executeRaw(insert, [JSON.stringify(rows)]), head)
          })
        ),
      known: (approvals) =>
        sql`SELECT approval FROM audit WHERE approval IN (SELECT value FROM json_each(${JSON.stringify(approvals)}))`.pipe(
          Effect.mapError((error) => fromCause(database.file, error)),
          Effect.map((rows) => new Set(decodeApprovals(rows).map(({ approval }) => approval)))
        ),
      resolved: (beginning) =>
        // The last character that there is ends what begins so.
        sql`SELECT * FROM audit WHERE kind = 'resolved' AND approval >= ${beginning} AND approval < ${`${beginning}\u{10ffff}`} ORDER BY id DESC LIMIT 1`.pipe(
          Effect.mapError((error) => fromCause(database.file, error)),
          Effect.map(([row]) => Option.flatMap(Option.fromNullable(row), decodeRowOption))
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

/** Entries that the memory keeps. */
const maxMemory = 100_000

/** Gone with the process. */
export const memory = (key: Uint8Array): Ledger => {
  const rows: Array<AuditRow> = []
  return {
    append: (entries) =>
      Effect.sync(() => {
        for (const entry of entries) {
          if (rows.length < maxMemory) rows.push(rowOf(key, rows[rows.length - 1] ?? start, entry))
        }
        return rows[rows.length - 1] ?? start
      }),
    known: (approvals) =>
      Effect.sync(
        () =>
          new Set(rows.flatMap(({ approval }) => (approval !== null && approvals.includes(approval) ? [approval] : [])))
      ),
    resolved: (beginning) =>
      Effect.sync(() =>
        Option.fromNullable(
          rows.findLast(({ approval, kind }) => kind === "resolved" && approval?.startsWith(beginning) === true)
        )
      ),
    page: (after, limit) => Effect.sync(() => rows.slice(after, after + limit))
  }
}
