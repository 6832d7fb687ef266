import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { quickCheck } from "../database/Backup.ts"
import { Database } from "../database/Database.ts"
import { DatabaseDamaged, type DatabaseError, fromCause } from "../database/DatabaseError.ts"
import * as Checksum from "./Checksum.ts"

/** What a check went through. */
export interface Checked {
  readonly sessions: number
  readonly events: number
}

const SessionRow = Schema.Struct({ id: Schema.String, head: Schema.Number })

const pageSize = 500

/** Reads every stored session, and fails at the first missing or changed event. */
export const check: Effect.Effect<Checked, DatabaseError, Database> = Effect.gen(function* () {
  const { file, read: sql } = yield* Database
  yield* quickCheck(file, sql)
  const damaged = (what: string) => new DatabaseDamaged({ file, what })
  const rows = <A, I>(schema: Schema.Schema<A, I>) => {
    const decode = Schema.decodeUnknownOption(Schema.Array(schema))
    return (statement: Effect.Effect<ReadonlyArray<unknown>, SqlError>) =>
      Effect.flatMap(
        Effect.mapError(statement, (error): DatabaseError => fromCause(file, error)),
        (found) =>
          Option.match(decode(found), { onNone: () => damaged("a row cannot be read"), onSome: Effect.succeed })
      )
  }
  const sessionRows = rows(SessionRow)
  const eventRows = rows(Checksum.StoredEvent)
  /** One session up to the head that it had when the check began. */
  const checkSession = ({ head, id }: typeof SessionRow.Type) =>
    Effect.gen(function* () {
      const reading = new Checksum.Reading(1)
      let next = 1
      while (next <= head) {
        const page = yield* eventRows(
          sql`SELECT seq, time, tag, task_id, iteration, worker, event, checksum FROM events
            WHERE session_id = ${id} AND seq >= ${next} ORDER BY seq LIMIT ${pageSize}`
        )
        if (page.length === 0) return yield* damaged(`session ${id} should have ${head} events and has ${next - 1}`)
        for (const row of page) {
          const fault = reading.fault(row)
          if (fault !== undefined) return yield* damaged(`of session ${id}, ${fault}`)
          next = row.seq + 1
        }
      }
      return head
    })
  const sessions = yield* sessionRows(sql`SELECT id, head FROM sessions ORDER BY id`)
  const heads = yield* Effect.forEach(sessions, checkSession)
  return { sessions: sessions.length, events: heads.reduce((sum, head) => sum + head, 0) }
})
