import { type Destroys, isUnknown, verbsOf } from "./Destruction.ts"

const comments = /\/\*(?!!)[\s\S]*?\*\/|--[^\n]*/g
const drops =
  /\b(?:drop|truncate)\s+(?:(?:if|table|database|schema|view|materialized|index|column|user|role|sequence|function|trigger|type|extension|keyspace|collection|tablespace|temporary|concurrently)\b|\w)/i
const unbounded = /\b(?:delete\s+from|update\s+[\w."`[\]]+\s+set)\b/i
const bounded = /\bwhere\b(?!\s*(?:1\s*=\s*1|'?1'?|true)\s*$)/i
const documents =
  /\.\s*(?:drop(?:Database|Index|Indexes|Collection)?|deleteMany|deleteOne|findOneAndDelete|remove)\s*\(|\bdropDatabase\b/
const stores = /\b(?:flushall|flushdb|del|unlink|shutdown)\b/i

/** What a text in a database's language destroys. */
export const destroyedByQuery = (text: string): string | undefined => {
  const read = text.replaceAll(comments, " ")
  if (drops.test(read)) return "Drops or empties tables of a database"
  if (documents.test(read)) return "Deletes from a database"
  return read.split(";").some((statement) => unbounded.test(statement) && !bounded.test(statement.trim()))
    ? "Deletes or changes every row of a table"
    : undefined
}

const givesQuery = /^(?:-c|-e|-q|-Q|--(?:command|execute|eval|query|cmd|statement|sql))$/

const client: Destroys = ({ args }, { input, piped }) => {
  if (args.some((arg, index) => isUnknown(arg) && givesQuery.test(args[index - 1] ?? ""))) {
    return "Runs a query that is known only at run time"
  }
  const found = [...args, ...input].map(destroyedByQuery).find((one) => one !== undefined)
  return found ?? (piped && input.length === 0 ? "Runs queries from a pipe" : undefined)
}

/** Programs that change databases. */
export const destructiveData: ReadonlyArray<readonly [names: string, destroys: Destroys]> = [
  [
    "psql mysql mariadb sqlite3 sqlite mongosh mongo duckdb cqlsh clickhouse-client clickhouse sqlcmd pgcli mycli litecli usql sqlplus " +
      "cockroach bq turso surreal snowsql",
    client
  ],
  [
    "redis-cli valkey-cli",
    ({ args }, { input }) =>
      [...args, ...input].some((text) => stores.test(text)) ? "Deletes from a database" : undefined
  ],
  ["dropdb dropuser", () => "Drops a database or a user of one"],
  ["mysqladmin", ({ args }) => (args.includes("drop") ? "Drops a database" : undefined)],
  [
    "pg_restore",
    ({ args }) =>
      args.some((arg) => /^(?:-c|--clean)$/.test(arg)) ? "Drops tables before it restores them" : undefined
  ],
  [
    "rails rake bin/rails artisan manage.py prisma knex sequelize typeorm alembic flyway liquibase drizzle-kit mix sequelize-cli diesel sqlx goose dbmate django-admin ecto",
    ({ args }) =>
      args.some((arg) =>
        /^(?:db:(?:drop|reset|purge|wipe|truncate|schema:load|rollback|undo:all|seed:replant|migrate:(?:reset|undo(?::all)?))(?::\w+)*|migrate:(?:fresh|refresh|reset|rollback|undo)|ecto\.(?:drop|reset|rollback)|flush|reset_db|sqlflush|schema:drop|downgrade|drop-all|clean|undo|down|reset|drop|revert|rollback|--force-reset|--accept-data-loss)$/.test(
          arg
        )
      )
        ? "Drops or resets a database"
        : undefined
  ],
  [
    "supabase",
    ({ args }) => (verbsOf(args).join(" ").startsWith("db reset") ? "Drops or resets a database" : undefined)
  ]
]
