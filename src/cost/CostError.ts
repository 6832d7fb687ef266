import type { LedgerFailed } from "./Book.ts"
import type { BudgetReached, PriceUnknown } from "./Budget.ts"

/** Why a model request was not sent. */
export type CostError = BudgetReached | PriceUnknown | LedgerFailed
