/**
 * What is kept in a SQLite file: sessions with their events, memory, rules and the audit.
 *
 * @example
 * ```ts
 * import { Database, SqlSessionStore } from "tollgate/sqlite"
 * import * as Layer from "effect/Layer"
 *
 * const sessions = Layer.provide(SqlSessionStore.layer, Database.layer("sessions.db"))
 * ```
 */

export { Database, type DatabaseOptions, type Moved, type Write } from "./database/Database.ts"
export * as DatabaseError from "./database/DatabaseError.ts"
export * as SqlSessionStore from "./runtime/SqlSessionStore.ts"
