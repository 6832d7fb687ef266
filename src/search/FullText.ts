import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { conditions, isNarrow } from "./narrow.ts"
import { lookups, type Lookup, type Query } from "./Query.ts"
import type { Filter } from "./Search.ts"
import type { Markers } from "./Snippet.ts"

/** A message that has words of the query, and the JSON of its part that shows them, unless no index found it. */
export interface TextMatch {
  readonly id: number
  readonly marked: string | null
}

export interface Wanted {
  readonly query: Query
  readonly filter: Filter
  readonly limit: number
  readonly markers: Markers
}

/** What LIKE takes for a pattern stands for itself. */
const containing = (term: string): string => `%${term.replaceAll(/[\\%_]/g, "\\$&")}%`

/** Where a snippet leaves something out. */
const ellipsis = "…"

/** Tokens of a snippet: words, or characters where trigrams are looked up. */
const tokens = { messages_words: 24, messages_trigrams: 60 } as const

type Matches = Effect.Effect<ReadonlyArray<TextMatch>, SqlError>

/** What one look finds, the best first. */
const found = (sql: SqlClient, { also, index, match }: Lookup, { filter, limit, markers }: Wanted): Matches => {
  const narrowed = [
    ...conditions(sql, filter),
    ...also.map(
      (term) =>
        sql`(SELECT text FROM message_texts WHERE message_texts.id = messages.id) LIKE ${containing(term)} ESCAPE '\\'`
    )
  ]
  if (match === undefined) {
    return sql<TextMatch>`SELECT messages.id AS id, NULL AS marked FROM messages
      WHERE messages.unspaced AND ${sql.and(narrowed)} ORDER BY messages.id DESC LIMIT ${limit}`
  }
  const name = sql.literal(index)
  const marked = sql`json_quote(snippet(${name}, 0, ${markers.open}, ${markers.close}, ${ellipsis}, ${tokens[index]})) AS marked`
  return isNarrow(filter) || also.length > 0
    ? sql<TextMatch>`SELECT messages.id AS id, ${marked}
        FROM ${name} CROSS JOIN messages ON messages.id = ${name}.rowid
        WHERE ${name} MATCH ${match} AND ${sql.and(narrowed)} ORDER BY ${name}.rank LIMIT ${limit}`
    : sql<TextMatch>`SELECT rowid AS id, ${marked} FROM ${name} WHERE ${name} MATCH ${match} ORDER BY rank LIMIT ${limit}`
}

/** The messages with words of the query: those with all of them first, then as many of the rest as are wanted. */
export const rank = (sql: SqlClient, wanted: Wanted): Matches =>
  Effect.reduce(lookups(wanted.query), new Map<number, TextMatch>(), (matches, lookup) =>
    matches.size >= wanted.limit
      ? Effect.succeed(matches)
      : Effect.map(found(sql, lookup, wanted), (rows) => {
          for (const match of rows) if (!matches.has(match.id)) matches.set(match.id, match)
          return matches
        })
  ).pipe(Effect.map((matches) => [...matches.values()].slice(0, wanted.limit)))
