import type * as Effect from "effect/Effect"
import type { DatabaseError } from "../database/DatabaseError.ts"
import type { Head } from "./AuditChain.ts"
import type { AuditEntry, AuditRow } from "./AuditEntry.ts"

/** An entry and when it was taken down, in epoch milliseconds. */
export interface Timed {
  readonly time: number
  readonly entry: Omit<AuditEntry, "arguments"> & { readonly arguments: string | null }
}

/** Where the chain of the audit is kept. */
export interface Ledger {
  /** Appends in one transaction and gives the new head. */
  readonly append: (entries: ReadonlyArray<Timed>) => Effect.Effect<Head, DatabaseError>
  /** At most `limit` rows after number `after`. */
  readonly page: (after: number, limit: number) => Effect.Effect<ReadonlyArray<AuditRow>, DatabaseError>
}
