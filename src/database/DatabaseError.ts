import * as Schema from "effect/Schema"
import { errnoText, systemReason } from "../system/errno.ts"
import { isShortOfFiles } from "../system/isShortOfFiles.ts"
import { toStartOver } from "./startOver.ts"

const file = { file: Schema.String }

/** The file may not be opened. */
export class DatabaseUnreadable extends Schema.TaggedError<DatabaseUnreadable>()("DatabaseUnreadable", {
  ...file,
  reason: Schema.String
}) {
  override get message() {
    return `The database ${this.file} cannot be opened: ${this.reason}. Check its permissions, or set TOLLGATE_HOME to another directory.${toStartOver(this.file)}`
  }
}

/** Another process holds the database for longer than we wait. */
export class DatabaseLocked extends Schema.TaggedError<DatabaseLocked>()("DatabaseLocked", {
  ...file,
  /** The process that holds it, if known. */
  pid: Schema.optional(Schema.Number),
  /** Whether that process is stopped (SIGSTOP, Ctrl-Z) and cannot let go by itself. */
  stopped: Schema.optional(Schema.Boolean),
  /** Why it cannot be waited for, and what to do; as sentences. */
  reason: Schema.optional(Schema.String)
}) {
  override get message() {
    const { file, pid, reason, stopped = false } = this
    if (reason !== undefined) return `The database ${file} was not opened: ${reason}`
    if (pid === undefined) {
      return `The database ${file} is locked by another process. Stop it, or set TOLLGATE_HOME to another directory.`
    }
    const release = stopped
      ? `which is stopped. Continue it (kill -CONT ${pid}) or end it (kill -KILL ${pid})`
      : `which is still writing. Wait for it, or end it (kill ${pid})`
    return `The database ${file} is locked by process ${pid}, ${release}; nothing was changed.`
  }
}

/** The file belongs to another program, or says of itself what cannot be. */
export class DatabaseForeign extends Schema.TaggedError<DatabaseForeign>()("DatabaseForeign", {
  ...file,
  reason: Schema.String
}) {
  override get message() {
    return `The file ${this.file} is not a Tollgate database: ${this.reason}. It was not changed. Set TOLLGATE_HOME to another directory, or move it away.${toStartOver(this.file)}`
  }
}

/** What the database holds is not what was written. */
export class DatabaseDamaged extends Schema.TaggedError<DatabaseDamaged>()("DatabaseDamaged", {
  ...file,
  what: Schema.String
}) {
  override get message() {
    return `The database ${this.file} is damaged: ${this.what}. To restore a backup: copy it to ${this.file}, and remove ${this.file}-wal, ${this.file}-shm and ${this.file}-anchor.${toStartOver(this.file)}`
  }
}

/** What was acknowledged is not there any more. */
export class DatabaseLost extends Schema.TaggedError<DatabaseLost>()("DatabaseLost", {
  ...file,
  what: Schema.String,
  /** Copies of the database that are at hand. */
  copies: Schema.Array(Schema.String)
}) {
  override get message() {
    const copies = this.copies.length === 0 ? "" : ` (${this.copies.join(", ")})`
    return `The database ${this.file} has lost data: ${this.what}. To restore a backup${copies}: copy it to ${this.file}, and remove ${this.file}-wal, ${this.file}-shm and ${this.file}-anchor. To continue with what is left, remove ${this.file}-anchor alone.${toStartOver(this.file)}`
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
    return `The database ${this.file} was not opened: SQLite ${this.found} can damage it when two processes write at once. Reinstall Tollgate; it brings SQLite ${this.needed} or later.`
  }
}

/** Nothing on this machine brings SQLite. */
export class DatabaseDriverMissing extends Schema.TaggedError<DatabaseDriverMissing>()("DatabaseDriverMissing", {
  ...file,
  reason: Schema.String
}) {
  override get message() {
    return `The database ${this.file} was not opened: ${this.reason}`
  }
}

/** The disk has no room, or the file may not grow. */
export class DatabaseFull extends Schema.TaggedError<DatabaseFull>()("DatabaseFull", file) {
  override get message() {
    return `The database ${this.file} cannot grow: the disk is full. Free some space and try again; acknowledged data is safe.`
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
  DatabaseForeign,
  DatabaseDamaged,
  DatabaseLost,
  DatabaseEngineTooOld,
  DatabaseDriverMissing,
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

/** Finds SQLite's result code in a thrown value and names the failure. */
export const fromCause = (path: string, error: unknown): DatabaseError => {
  const outer = coded(error)
  const own = typeof outer.code === "string" ? outer : coded(outer.cause)
  const code = typeof own.code === "string" ? own.code : "unknown"
  const reason = typeof own.message === "string" ? systemReason(own) : "unknown failure"
  // SQLite says no more than that a file could not be opened.
  if (code.startsWith("SQLITE_CANTOPEN") && isShortOfFiles())
    return new DatabaseFailed({ file: path, code: "EMFILE", reason: errnoText("EMFILE") })
  if (code === "driver") return new DatabaseDriverMissing({ file: path, reason })
  if (code === "SQLITE_BUSY_UNSHARED") return new DatabaseLocked({ file: path, reason })
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")) return new DatabaseLocked({ file: path })
  if (/^(?:SQLITE_FULL|ENOSPC|EDQUOT)/.test(code)) return new DatabaseFull({ file: path })
  if (/^SQLITE_(?:CORRUPT|IOERR_SHORT_READ|IOERR_CORRUPTFS)/.test(code)) {
    return new DatabaseDamaged({ file: path, what: reason })
  }
  if (code.startsWith("SQLITE_NOTADB")) {
    return new DatabaseDamaged({ file: path, what: "it does not begin as a database does" })
  }
  if (
    /^(?:SQLITE_(?:CANTOPEN|PERM|AUTH|READONLY)|EACCES|EPERM|EEXIST|ENOTDIR|EISDIR|ENOENT|ELOOP|EROFS|ENXIO)/.test(code)
  ) {
    return new DatabaseUnreadable({ file: path, reason })
  }
  return new DatabaseFailed({
    file: path,
    code,
    reason: code.startsWith("SQLITE_IOERR") ? "the disk could not be read or written; check it, then try again" : reason
  })
}
