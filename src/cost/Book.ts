import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Usage } from "./Usage.ts"
import type { Alert, BudgetReached, Places } from "./Budget.ts"
import type { Limits } from "./Budgets.ts"
import type { Charge } from "./Charge.ts"
import type { NanoUsd } from "./Money.ts"

/** The ledger cannot be read or written. */
export class LedgerFailed extends Schema.TaggedError<LedgerFailed>()("LedgerFailed", { reason: Schema.String }) {
  readonly retryable = false
  override get message() {
    return `The ledger of costs cannot be used: ${this.reason}`
  }
}

/** Money held back for one attempt until it is settled. */
export interface Reservation {
  readonly id: string
  readonly places: Places
  readonly amount: NanoUsd
  /** What is booked if its process dies. */
  readonly ifLost: Charge
}

/** Which charges are meant; all if empty. */
export interface ChargeFilter {
  readonly session?: string
  readonly project?: string
  /** Epoch milliseconds; the first and the one after the last. */
  readonly since?: number
  readonly until?: number
}

/** What charges are added up by. */
export const Dimension = Schema.Literal("day", "model", "tool", "session", "project", "task", "worker", "profile")
export type Dimension = typeof Dimension.Type

/** What some charges come to. */
export interface Total {
  readonly key: string
  /** Attempts that were charged. */
  readonly requests: number
  /** Those of them whose price is unknown. */
  readonly unpriced: number
  readonly amount: NanoUsd
  readonly usage: Required<Usage>
}

/** How charges are booked and read. */
export interface Book {
  /** Holds the amount back, unless a limit has less left. */
  readonly reserve: (reservation: Reservation, limits: Limits) => Effect.Effect<void, BudgetReached | LedgerFailed>
  /** Books a charge in place of its reservation, if it has one, and gives the alerts that are due; each is given once. */
  readonly settle: (
    charge: Charge,
    of: { readonly places: Places; readonly limits: Limits; readonly reservation?: string }
  ) => Effect.Effect<ReadonlyArray<Alert>, LedgerFailed>
  /** What charges come to by a dimension, the latest day first and else the most expensive. */
  readonly totals: (by: Dimension, filter: ChargeFilter) => Effect.Effect<ReadonlyArray<Total>, LedgerFailed>
  /** The latest charges, the oldest first. */
  readonly charges: (
    filter: ChargeFilter & { readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<Charge>, LedgerFailed>
}
