import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { conditions, isNarrow } from "./narrow.ts"
import { lookups, type Lookup, type Query } from "./Query.ts"
import type { Filter } from "./Search.ts"

/** A message that has words of the query, and the look that found it. */
export interface TextMatch {
  readonly id: number
  readonly lookup: Lookup
}

/** What LIKE takes for a pattern stands for itself. */
const containing = (term: string): string => `%${term.replaceAll(/[\\%_]/g, "\\$&")}%`

type Ids = Effect.Effect<ReadonlyArray<{ readonly id: number }>, SqlError>

/** What one look finds, the best first. */
const found = (sql: SqlClient, { also, index, match }: Lookup, filter: Filter, limit: number): Ids => {
  const narrowed = [
    ...conditions(sql, filter),
    ...also.map(
      (term) =>
        sql`(SELECT text FROM message_texts WHERE message_texts.id = messages.id) LIKE ${containing(term)} ESCAPE '\\'`
    )
  ]
  const name = sql.literal(index)
  if (match === undefined) {
    return sql<{ readonly id: number }>`SELECT messages.id AS id FROM messages
      WHERE messages.unspaced AND ${sql.and(narrowed)} ORDER BY messages.id DESC LIMIT ${limit}`
  }
  return isNarrow(filter) || also.length > 0
    ? sql<{ readonly id: number }>`SELECT messages.id AS id
        FROM ${name} CROSS JOIN messages ON messages.id = ${name}.rowid
        WHERE ${name} MATCH ${match} AND ${sql.and(narrowed)} ORDER BY ${name}.rank LIMIT ${limit}`
    : sql<{
        readonly id: number
      }>`SELECT rowid AS id FROM ${name} WHERE ${name} MATCH ${match} ORDER BY rank LIMIT ${limit}`
}

/** The messages with words of the query: those with all of them first, then as many of the rest as are wanted. */
export const rank = (
  sql: SqlClient,
  query: Query,
  filter: Filter,
  limit: number
): Effect.Effect<ReadonlyArray<TextMatch>, SqlError> =>
  Effect.reduce(lookups(query), new Map<number, TextMatch>(), (matches, lookup) =>
    matches.size >= limit
      ? Effect.succeed(matches)
      : Effect.map(found(sql, lookup, filter, limit), (rows) => {
          for (const { id } of rows) if (!matches.has(id)) matches.set(id, { id, lookup })
          return matches
        })
  ).pipe(Effect.map((matches) => [...matches.values()].slice(0, limit)))
