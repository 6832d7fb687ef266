import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import type * as EffectScope from "effect/Scope"
import { Database } from "../database/Database.ts"
import { fromCause } from "../database/DatabaseError.ts"
import { SqliteError } from "../database/driver/Driver.ts"
import * as Presence from "../database/Presence.ts"
import { asJson, Text } from "../database/text.ts"
import * as Budget from "./Budget.ts"
import { type Limits, Scope } from "./Budgets.ts"
import { Charge } from "./Charge.ts"
import { type Book, type ChargeFilter, type Dimension, LedgerFailed } from "./Book.ts"
import { grouped, shares } from "./totals.ts"

const StandingRow = Schema.Struct({
  scope: Scope,
  spent: Schema.Number,
  reserved: Schema.Number,
  alerted: Schema.Number,
  alerted_of: Schema.Number
})
const HeldRow = Schema.Struct({
  id: Schema.String,
  amount: Schema.Number,
  places: Schema.String,
  if_lost: Schema.String
})
const ChargeRow = Schema.Struct({ charge: Schema.parseJson(Charge) })
const TotalRow = Schema.Struct({
  key: Text,
  requests: Schema.Number,
  unpriced: Schema.Number,
  amount: Schema.Number,
  input: Schema.Number,
  output: Schema.Number,
  cached: Schema.Number,
  written: Schema.Number,
  reasoning: Schema.Number
})

const standing = `SELECT scope, spent, reserved, alerted, alerted_of FROM cost_totals
  WHERE (scope, place) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))`
const change = `INSERT INTO cost_totals (scope, place, spent, reserved, alerted, alerted_of)
  SELECT value ->> 0, value ->> 1, ?, ?, 0, 0 FROM json_each(?) WHERE true
  ON CONFLICT (scope, place) DO UPDATE SET spent = spent + excluded.spent, reserved = reserved + excluded.reserved`
const told = "UPDATE cost_totals SET alerted = ?, alerted_of = ? WHERE scope = ? AND place = ? ->> '$'"
const hold = "INSERT INTO cost_reservations (id, owner, amount, places, if_lost) VALUES (?, ?, ?, ?, ?)"
const release = "DELETE FROM cost_reservations WHERE id = ? RETURNING amount"
const book =
  "INSERT INTO cost_charges (time, session_id, project, amount, charge) VALUES (?, ? ->> '$', ? ->> '$', ?, ?)"
const owners = "SELECT DISTINCT owner FROM cost_reservations WHERE owner <> ?"
const heldBy = "SELECT id, amount, places, if_lost FROM cost_reservations WHERE owner = ?"

/** Where the key of a total stands in a charge. */
const keys: Readonly<Record<Dimension, string>> = {
  day: "charge ->> '$.day'",
  model: "charge ->> '$.model'",
  profile: "charge ->> '$.profile'",
  session: "session_id",
  project: "project",
  task: "charge ->> '$.payer.task'",
  worker: "coalesce((SELECT group_concat(value, '/') FROM json_each(charge, '$.payer.worker')), '')",
  tool: "charge ->> '$.tools'"
}

const sums = `count(*) AS requests, count(*) FILTER (WHERE amount IS NULL) AS unpriced, coalesce(sum(amount), 0) AS amount,
  sum(charge ->> '$.usage.inputTokens') AS input, sum(charge ->> '$.usage.outputTokens') AS output,
  sum(charge ->> '$.usage.cachedInputTokens') AS cached,
  coalesce(sum(charge ->> '$.usage.cacheWriteTokens'), 0) AS written,
  sum(charge ->> '$.usage.reasoningTokens') AS reasoning`

const entriesOf = (places: Budget.Places, scopes: Iterable<Scope> = Scope.literals): string =>
  JSON.stringify([...scopes].map((scope) => [scope, places[scope]]))

const decodePlaces = Schema.decodeUnknown(Schema.parseJson(Schema.Record({ key: Scope, value: Schema.String })))
const decodeTools = Schema.decodeUnknown(Schema.parseJson(Schema.Array(Schema.String)))
const decodeCharge = Schema.decodeUnknown(Schema.parseJson(Charge))
const decodeStandings = Schema.decodeUnknown(Schema.Array(StandingRow))
const decodeHeld = Schema.decodeUnknown(Schema.Array(HeldRow))
const decodeCharges = Schema.decodeUnknown(Schema.Array(ChargeRow))
const decodeTotals = Schema.decodeUnknown(Schema.Array(TotalRow))

/** A row that is none of ours cannot be read: the write that meets it fails as a whole. */
const orBroken = <A>(decoded: Effect.Effect<A, { readonly message: string }>): Effect.Effect<A, SqlError> =>
  Effect.mapError(decoded, () => {
    const message = "a row of its ledger was changed by another program"
    return new SqlError({ cause: new SqliteError({ code: "SQLITE_MISMATCH", message }), message })
  })

/** Charges in the user's database. */
export const make: Effect.Effect<Book, never, Database | EffectScope.Scope> = Effect.gen(function* () {
  const database = yield* Database
  const sql = database.read
  const processes = `${database.file}-processes`
  const failed = (error: { readonly message: string }) => new LedgerFailed({ reason: error.message })
  const read = <A>(
    statement: Effect.Effect<ReadonlyArray<unknown>, SqlError>,
    decode: (rows: ReadonlyArray<unknown>) => Effect.Effect<A, { readonly message: string }>
  ): Effect.Effect<A, LedgerFailed> =>
    statement.pipe(
      Effect.mapError((error) => fromCause(database.file, error)),
      Effect.flatMap(decode),
      Effect.mapError(failed)
    )
  const appeared = yield* Presence.appearing(processes)
  /** Whether this process has looked for what the dead held. */
  const looked = yield* Ref.make(false)

  const standingOf = (connection: Connection, places: Budget.Places, limits: Limits) =>
    Effect.map(
      Effect.flatMap(connection.execute(standing, [entriesOf(places, limits.keys())], undefined), (rows) =>
        orBroken(decodeStandings(rows))
      ),
      (rows) => {
        const known = new Map(
          rows.map(({ alerted_of, scope: of, ...row }) => [of, { ...row, alertedOf: alerted_of }] as const)
        )
        return (of: Scope): Budget.Standing => known.get(of) ?? Budget.untouched
      }
    )
  const bookCharge = (connection: Connection, charge: Charge) =>
    connection.executeRaw(book, [
      charge.time,
      asJson(charge.payer.session),
      asJson(charge.payer.project),
      charge.amount ?? null,
      JSON.stringify(charge)
    ])
  /** Frees what processes hold that are gone, and books what is likely of it; nobody knows more. */
  const free = (connection: Connection, self: string) =>
    Effect.gen(function* () {
      for (const { owner } of yield* connection.execute(owners, [self], undefined)) {
        if (yield* Presence.isPresent(processes, String(owner))) continue
        const rows = yield* connection.execute(heldBy, [owner], undefined)
        for (const { amount, id, if_lost, places } of yield* orBroken(decodeHeld(rows))) {
          const charge = yield* orBroken(decodeCharge(if_lost))
          const entries = entriesOf(yield* orBroken(decodePlaces(places)))
          yield* connection.executeRaw(release, [id])
          yield* bookCharge(connection, charge)
          yield* connection.executeRaw(change, [charge.amount ?? 0, -amount, entries])
        }
      }
    })

  return {
    reserve: Effect.fn("Ledger.reserve")((reservation, limits) =>
      database
        .write((connection) =>
          Effect.gen(function* (): Effect.fn.Return<Either.Either<void, Budget.BudgetReached>, SqlError> {
            const { amount, id, ifLost, places } = reservation
            const owner = yield* appeared
            const reached = Effect.map(standingOf(connection, places, limits), (of) =>
              Budget.exceeded(limits, of, amount)
            )
            if (!(yield* Ref.getAndSet(looked, true))) yield* free(connection, owner)
            let refusal = yield* reached
            if (refusal !== undefined && refusal.reserved > 0) {
              yield* free(connection, owner)
              refusal = yield* reached
            }
            if (refusal !== undefined) return Either.left(refusal)
            yield* connection.executeRaw(hold, [id, owner, amount, JSON.stringify(places), JSON.stringify(ifLost)])
            yield* connection.executeRaw(change, [0, amount, entriesOf(places)])
            return Either.void
          })
        )
        .pipe(Effect.mapError(failed), Effect.flatten)
    ),
    settle: Effect.fn("Ledger.settle")((charge, { limits, places, reservation }) =>
      database
        .write((connection) =>
          Effect.gen(function* () {
            const [held] = reservation === undefined ? [] : yield* connection.execute(release, [reservation], undefined)
            yield* bookCharge(connection, charge)
            const freed = Number(held?.["amount"] ?? 0)
            yield* connection.executeRaw(change, [charge.amount ?? 0, -freed, entriesOf(places)])
            if (limits.size === 0) return []
            const due = Budget.alertsOf(limits, places, yield* standingOf(connection, places, limits))
            for (const { limit, percent, place, scope } of Budget.toldBy(due)) {
              yield* connection.executeRaw(told, [percent, limit, scope, asJson(place)])
            }
            return due
          })
        )
        .pipe(Effect.mapError(failed))
    ),
    totals: Effect.fn("Ledger.totals")((by, filter) =>
      read(
        sql`SELECT json_quote(${sql.literal(keys[by])}) AS key, ${sql.literal(sums)} FROM cost_charges
          WHERE ${meant(filter)} GROUP BY 1`,
        decodeTotals
      ).pipe(
        Effect.flatMap((rows) =>
          Effect.forEach(rows, ({ amount, cached, input, key, output, reasoning, requests, unpriced, written }) => {
            const usage = {
              inputTokens: input,
              outputTokens: output,
              cachedInputTokens: cached,
              cacheWriteTokens: written,
              reasoningTokens: reasoning
            }
            const sum = { requests, unpriced, amount, usage }
            return by === "tool"
              ? Effect.map(Effect.mapError(decodeTools(key), failed), (tools) => shares(tools, sum))
              : Effect.succeed([[key, sum] as const])
          })
        ),
        Effect.map((parts) => grouped(parts.flat(), by === "day"))
      )
    ),
    charges: Effect.fn("Ledger.charges")(({ limit, ...filter }) =>
      Effect.map(
        read(
          sql`SELECT charge FROM cost_charges WHERE ${meant(filter)} ORDER BY id DESC LIMIT ${limit}`,
          decodeCharges
        ),
        (rows) => rows.map(({ charge }) => charge).toReversed()
      )
    )
  }

  function meant({ project, session, since = 0, until = Number.MAX_SAFE_INTEGER }: ChargeFilter) {
    const text = (column: string, value: string | undefined) =>
      value === undefined ? [] : [sql`${sql.literal(column)} = ${asJson(value)} ->> '$'`]
    return sql.and([
      sql`time >= ${since} AND time < ${until}`,
      ...text("session_id", session),
      ...text("project", project)
    ])
  }
})
