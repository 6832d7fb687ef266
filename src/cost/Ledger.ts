import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Database } from "../database/Database.ts"
import type { Book } from "./Book.ts"
import * as MemoryLedger from "./MemoryLedger.ts"
import * as SqlLedger from "./SqlLedger.ts"

/**
 * What model requests have cost, attempt by attempt. Reserving and settling are one step each, for all processes that use the
 * same ledger: what is reserved and spent together never exceeds a limit, and what a dead process held is free again.
 */
export class Ledger extends Context.Tag("tollgate/cost/Ledger")<Ledger, Book>() {
  /** Gone with the layer. */
  static readonly layerMemory: Layer.Layer<Ledger> = Layer.effect(
    Ledger,
    Effect.suspend(() => MemoryLedger.make)
  )

  /** In the tables `cost_charges`, `cost_totals` and `cost_reservations`. */
  static readonly layerSql: Layer.Layer<Ledger, never, Database> = Layer.scoped(
    Ledger,
    Effect.suspend(() => SqlLedger.make)
  )
}
