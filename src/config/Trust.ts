import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Database } from "../database/Database.ts"
import { type DatabaseError, fromCause } from "../database/DatabaseError.ts"

/** A project whose configuration the user has accepted, as it was then. */
export const TrustedProject = Schema.Struct({
  project: Schema.String,
  digest: Schema.String,
  /** Epoch milliseconds. */
  trustedAt: Schema.Number
})
export type TrustedProject = typeof TrustedProject.Type

/** Which projects may bring hooks, rules, commands and MCP servers of their own; a change of their file ends that. */
export class Trust extends Context.Tag("tollgate/config/Trust")<
  Trust,
  {
    readonly find: (project: string) => Effect.Effect<Option.Option<TrustedProject>, DatabaseError>
    readonly accept: (project: string, digest: string) => Effect.Effect<void, DatabaseError>
    /** Whether the project was trusted. */
    readonly withdraw: (project: string) => Effect.Effect<boolean, DatabaseError>
    readonly list: Effect.Effect<ReadonlyArray<TrustedProject>, DatabaseError>
  }
>() {
  /** In the table `trusted_projects` of the user's database, out of reach of every project. */
  static readonly layerSql: Layer.Layer<Trust, never, Database> = Layer.effect(
    Trust,
    Effect.map(Database, (database) => make(database))
  )
}

const decode = Schema.decodeUnknown(Schema.Array(TrustedProject))
const decodeRows = Schema.decodeUnknownSync(Schema.Array(Schema.Unknown))

const make = ({ file, read, write }: Database["Type"]): Trust["Type"] => {
  const list = read`SELECT project, digest, trusted_at AS trustedAt FROM trusted_projects ORDER BY project`.pipe(
    Effect.flatMap(decode),
    Effect.mapError((error) => fromCause(file, error))
  )
  return {
    list,
    find: (project) =>
      Effect.map(list, (all) => Option.fromNullable(all.find((trusted) => trusted.project === project))),
    accept: Effect.fn("Trust.accept")(function* (project: string, digest: string) {
      const now = yield* Clock.currentTimeMillis
      yield* write((connection) =>
        connection.executeRaw(
          "INSERT OR REPLACE INTO trusted_projects (project, digest, trusted_at) VALUES (?, ?, ?)",
          [project, digest, now]
        )
      )
    }),
    withdraw: Effect.fn("Trust.withdraw")((project: string) =>
      Effect.map(
        write((connection) =>
          connection.execute("DELETE FROM trusted_projects WHERE project = ? RETURNING project", [project], undefined)
        ),
        (rows) => decodeRows(rows).length > 0
      )
    )
  }
}
