import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import type { Anchored } from "./Anchor.ts"
import { copiesOf } from "./Backup.ts"
import { connect } from "./connect.ts"
import { type DatabaseError, DatabaseForeign, DatabaseLost, DatabaseTooNew, fromCause } from "./DatabaseError.ts"
import { migrations } from "./migrations.ts"

/** "Toll"; says in the header of a file whose it is. */
export const applicationId = 0x546f6c6c

const sqlite = "SQLite format 3\u0000"
const headerBytes = 100

interface Header {
  readonly version: number
  readonly application: number
}

/** What the first page says of the file, which may be older than its log; nothing where it is no database. */
const headerOf = (file: string): Header | undefined => {
  const handle = fs.openSync(file, "r")
  try {
    const bytes = Buffer.alloc(headerBytes)
    const size = fs.readSync(handle, bytes, 0, headerBytes, 0)
    return size < headerBytes || bytes.toString("latin1", 0, 16) !== sqlite
      ? undefined
      : { version: bytes.readInt32BE(60), application: bytes.readInt32BE(68) }
  } finally {
    fs.closeSync(handle)
  }
}

const hex = (application: number): string => `0x${(application >>> 0).toString(16).padStart(8, "0")}`

/** What stood in a database that is gone, as far as its anchor knows. */
const contents = ({ commits, heads }: Anchored): string => {
  const some = [...heads].slice(-3).map(([session, head]) => `${session} with ${head} events`)
  const more = heads.size > some.length ? ` and ${heads.size - some.length} more` : ""
  return `${commits} commits were stored${some.length === 0 ? "" : `, among them of ${some.join(", ")}${more}`}`
}

const lost = (file: string, how: string, anchored: Anchored): DatabaseLost =>
  new DatabaseLost({ file, what: `${how}; ${contents(anchored)}`, copies: copiesOf(file) })

/** Inspects a file without our application id: an older Tollgate database, an empty one, or a foreign one. */
const probe = (file: string, anchored: Anchored | undefined): Effect.Effect<void, DatabaseError> =>
  Effect.gen(function* () {
    const sql = yield* connect(file)
    const rows = yield* Effect.mapError(
      sql`SELECT name, (SELECT user_version FROM pragma_user_version) AS version,
        (SELECT application_id FROM pragma_application_id) AS application
        FROM (SELECT 'sqlite_master' AS name UNION ALL SELECT name FROM sqlite_master)`,
      (error) => fromCause(file, error)
    )
    const names = new Set(rows.map((row) => String(row["name"])))
    const version = Number(rows[0]?.["version"])
    const application = Number(rows[0]?.["application"])
    if (application !== 0 && application !== applicationId) {
      return yield* new DatabaseForeign({
        file,
        reason: `it belongs to another program (application ${hex(application)})`
      })
    }
    if (version < 0) return yield* new DatabaseForeign({ file, reason: `it has schema version ${version}` })
    const empty = names.size === 1
    if (empty && anchored !== undefined && anchored.commits > 0) {
      return yield* lost(file, "the file is now empty", anchored)
    }
    const ours = names.has("sessions") && names.has("events")
    if (version > migrations.length && (empty || ours)) {
      return yield* new DatabaseTooNew({ file, found: version, supported: migrations.length })
    }
    if (empty && version === 0) return
    if (version === 0 || version > migrations.length || !ours) {
      const reason = `it has schema version ${version} and tables of another program`
      return yield* new DatabaseForeign({ file, reason })
    }
  }).pipe(Effect.scoped)

/** Fails, and changes nothing, where the file is missing although it was used, is of another program or of a later version. */
export const identify = (file: string, anchored: Anchored | undefined): Effect.Effect<void, DatabaseError> =>
  Effect.suspend((): Effect.Effect<void, DatabaseError> => {
    const found = fs.statSync(file, { throwIfNoEntry: false })
    if (found === undefined || (found.isFile() && found.size === 0)) {
      return anchored === undefined || anchored.commits === 0
        ? Effect.void
        : lost(file, found === undefined ? "the file is gone" : "the file is empty", anchored)
    }
    if (!found.isFile()) return Effect.void
    const header = headerOf(file)
    if (header === undefined) return Effect.void
    const { application, version } = header
    if (application !== applicationId) return probe(file, anchored)
    if (version < 0) return new DatabaseForeign({ file, reason: `it has schema version ${version}` })
    return version > migrations.length
      ? new DatabaseTooNew({ file, found: version, supported: migrations.length })
      : Effect.void
  }).pipe(Effect.catchAllDefect((defect) => Effect.fail(fromCause(file, defect))))
