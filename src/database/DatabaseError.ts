import * as Schema from "effect/Schema"
import { because } from "./because.ts"

const file = { file: Schema.String }

/** The file is not a database, is damaged or may not be opened. */
export class DatabaseUnreadable extends Schema.TaggedError<DatabaseUnreadable>()("DatabaseUnreadable", {
  ...file,
  reason: Schema.String
}) {
  override get message() {
    return `The database ${this.file} cannot be opened: ${this.reason}. Check its permissions, move it away to start with a new one, or set TOLLGATE_HOME to another directory.`
  }
}

/** Another process holds the database for longer than we wait. */
export class DatabaseLocked extends Schema.TaggedError<DatabaseLocked>()("DatabaseLocked", file) {
  override get message() {
    return `The database ${this.file} is locked by another process. Stop it, or set TOLLGATE_HOME to another directory.`
  }
}

/** The database was written by a later version. */
export class DatabaseTooNew extends Schema.TaggedError<DatabaseTooNew>()("DatabaseTooNew", {
  ...file,
  found: Schema.Number,
  supported: Schema.Number
}) {
  override get message() {
    return `The database ${this.file} has schema version ${this.found}; this version of Tollgate knows up to ${this.supported}. Upgrade Tollgate, or set TOLLGATE_HOME to another directory.`
  }
}

/** The SQLite that this Node has loaded is known to damage files. */
export class DatabaseEngineTooOld extends Schema.TaggedError<DatabaseEngineTooOld>()("DatabaseEngineTooOld", {
  ...file,
  found: Schema.String,
  needed: Schema.String
}) {
  override get message() {
    return `The database ${this.file} was not opened: SQLite ${this.found} can damage it when two processes write at once. Reinstall Tollgate with better-sqlite3 that brings SQLite ${this.needed} or later.`
  }
}

/** The disk has no room, or the file may not grow. */
export class DatabaseFull extends Schema.TaggedError<DatabaseFull>()("DatabaseFull", file) {
  override get message() {
    return `The database ${this.file} cannot grow: the disk is full. Free some room and try again; what was acknowledged is safe.`
  }
}

/** Any other failure of a statement. */
export class DatabaseFailed extends Schema.TaggedError<DatabaseFailed>()("DatabaseFailed", {
  ...file,
  code: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The database ${this.file} failed (${this.code}): ${this.reason}`
  }
}

export const DatabaseError = Schema.Union(
  DatabaseUnreadable,
  DatabaseLocked,
  DatabaseTooNew,
  DatabaseEngineTooOld,
  DatabaseFull,
  DatabaseFailed
)
export type DatabaseError = typeof DatabaseError.Type

interface Coded {
  readonly code?: unknown
  readonly message?: unknown
  readonly cause?: unknown
}

const coded = (error: unknown): Coded => (typeof error === "object" && error !== null ? error : {})

/** Finds SQLite's own result code in whatever a client threw and names the failure. */
export const fromCause = (path: string, error: unknown): DatabaseError => {
  const outer = coded(error)
  const own = typeof outer.code === "string" ? outer : coded(outer.cause)
  const code = typeof own.code === "string" ? own.code : "unknown"
  const reason = typeof own.message === "string" ? because(own) : "unknown failure"
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")) return new DatabaseLocked({ file: path })
  if (/^(?:SQLITE_FULL|ENOSPC|EDQUOT)/.test(code)) return new DatabaseFull({ file: path })
  if (
    /^(?:SQLITE_(?:NOTADB|CORRUPT|CANTOPEN|PERM|AUTH|READONLY)|EACCES|EPERM|EEXIST|ENOTDIR|EISDIR|ENOENT|ELOOP|EROFS)/.test(
      code
    )
  ) {
    return new DatabaseUnreadable({ file: path, reason })
  }
  return new DatabaseFailed({ file: path, code, reason })
}
