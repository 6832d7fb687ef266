import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import type { Filter } from "./Search.ts"

/** Whether a filter leaves anything out. */
export const isNarrow = (filter: Filter): boolean =>
  [filter.session, filter.project, filter.projectOf, filter.roles, filter.tool, filter.since, filter.until].some(
    (one) => one !== undefined
  )

/** What a row of `messages`, with its `sessions` where a project counts, must be like. */
export const conditions = (
  sql: SqlClient,
  { project, projectOf, roles, session, since, tool, until }: Filter
): ReadonlyArray<Fragment> => [
  // What a fork has copied is indexed where it was said.
  ...(session === undefined
    ? []
    : [
        sql`(messages.session_id = ${session} OR messages.id IN (
          WITH RECURSIVE line (id, until) AS (
            SELECT forked_from, forked_at FROM sessions WHERE id = ${session} AND forked_from IS NOT NULL
            UNION ALL
            SELECT origin.forked_from, min(line.until, origin.forked_at) FROM line
              JOIN sessions AS origin ON origin.id = line.id AND origin.forked_from IS NOT NULL
          )
          SELECT said.id FROM line JOIN messages AS said ON said.session_id = line.id AND said.seq <= line.until
        ))`
      ]),
  ...(project === undefined
    ? []
    : [sql`messages.session_id IN (SELECT id FROM sessions WHERE sessions.project = ${project})`]),
  ...(projectOf === undefined
    ? []
    : [
        sql`messages.session_id IN (
          SELECT id FROM sessions WHERE sessions.project = (SELECT own.project FROM sessions AS own WHERE own.id = ${projectOf})
        )`
      ]),
  ...(roles === undefined ? [] : [sql`messages.role IN ${sql.in(roles)}`]),
  ...(tool === undefined ? [] : [sql`messages.tool = ${tool}`]),
  ...(since === undefined ? [] : [sql`messages.time >= ${since}`]),
  ...(until === undefined ? [] : [sql`messages.time < ${until}`])
]
