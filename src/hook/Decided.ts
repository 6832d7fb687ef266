import * as Effect from "effect/Effect"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { Rule } from "../approval/Rule.ts"
import type { Handle } from "../database/driver/Driver.ts"
import { driver } from "../database/driver/load.ts"
import { openUsed } from "../database/glance.ts"
import { openShared } from "../database/sharing.ts"
import { systemReason } from "../system/errno.ts"
import { sentence } from "../text/sentence.ts"

/** What the user has decided of a project outside of any file that a project has. */
export interface Decided {
  /** Saved by answering `always`. */
  readonly rules: ReadonlyArray<Rule>
  /** What of the project's own file the user has accepted. */
  readonly accepted: string | undefined
}

const none: Decided = { rules: [], accepted: undefined }

/** The database cannot be read, so that it is not known what the user has decided. */
export class DecidedUnread extends Schema.TaggedError<DecidedUnread>()("DecidedUnread", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `What you have decided cannot be read from ${this.file}: ${sentence(this.reason)} tollgate doctor tells how to mend it.`
  }
}

/** Milliseconds that a lock of another process is waited for. */
const patience = 1000

const Saved = Schema.Array(Schema.Struct({ rule: Schema.parseJson(Rule) }))
const Accepted = Schema.Array(Schema.Struct({ digest: Schema.String }))
const decodeSaved = Schema.decodeUnknownSync(Saved)
const decodeAccepted = Schema.decodeUnknownSync(Accepted)

/** The rows of a table that a database of an older version may not have. */
const rows = (handle: Handle, table: string, text: string, project: string): ReadonlyArray<unknown> =>
  handle.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").all([table]).length === 0
    ? []
    : handle.prepare(text).all([project])

/**
 * Reads what is decided of a project, without the rest of what a database is opened with; it changes nothing. A database that was
 * used and is not what it was may have lost a decision, and fails.
 */
export const decidedOf = (file: string, project: string): Effect.Effect<Decided, DecidedUnread> => {
  const failed = (error: { readonly message: string }) => new DecidedUnread({ file, reason: error.message })
  return Effect.flatMap(Effect.mapError(driver, failed), (found) =>
    Effect.try({
      try: () => {
        const handle = openUsed(file, () => openShared(found, file, { readonly: true, timeout: patience }))
        if (handle === undefined) return none
        try {
          const saved = rows(
            handle,
            "rules",
            "SELECT rule FROM rules WHERE project = ? ORDER BY saved_at, rowid",
            project
          )
          const trusted = rows(
            handle,
            "trusted_projects",
            "SELECT digest FROM trusted_projects WHERE project = ?",
            project
          )
          return {
            rules: decodeSaved(saved).map(({ rule }) => rule),
            accepted: decodeAccepted(trusted)[0]?.digest
          }
        } finally {
          handle.close()
        }
      },
      catch: (error) =>
        failed({
          message: ParseResult.isParseError(error) ? "it was changed by another program" : systemReason(error)
        })
    })
  )
}
