/**
 * What is kept in a SQLite file: sessions with their events, memory, rules and the audit; and the search in them.
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
export type { Shrunk } from "./database/shrink.ts"
export * as DatabaseError from "./database/DatabaseError.ts"
export * as SqlSessionStore from "./runtime/SqlSessionStore.ts"
export * as SqlSearch from "./search/SqlSearch.ts"
export { type Embedder, EmbeddingFailed, Embeddings } from "./search/Embeddings.ts"
export * as StaticEmbeddings from "./search/StaticEmbeddings.ts"
export * as ServerEmbeddings from "./search/ServerEmbeddings.ts"
export * as Indexer from "./search/Indexer.ts"
