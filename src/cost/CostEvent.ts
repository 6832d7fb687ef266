import * as Schema from "effect/Schema"
import { Usage } from "./Usage.ts"
import { Scope } from "./Budgets.ts"
import { Outcome } from "./Charge.ts"
import { NanoUsd } from "./Money.ts"

/**
 * An attempt of a model request was charged to its session, task and worker. Those of a model that is free are not told; the
 * ledger has them.
 */
export class ModelCharged extends Schema.TaggedClass<ModelCharged>()("ModelCharged", {
  profile: Schema.String,
  model: Schema.String,
  /** From 1. */
  attempt: Schema.Number,
  outcome: Outcome,
  usage: Usage,
  /** Billionths of a US dollar; unset if the price is unknown. */
  amount: Schema.optionalWith(NanoUsd, { exact: true }),
  /** Whether the usage is an estimate, as the server told none. */
  estimated: Schema.Boolean
}) {}

/** So many percent of a budget are spent: 50, 75, 90 or 100, each once. `spent` and `limit` are billionths of a US dollar. */
export class BudgetAlerted extends Schema.TaggedClass<BudgetAlerted>()("BudgetAlerted", {
  scope: Scope,
  percent: Schema.Number,
  spent: NanoUsd,
  limit: NanoUsd
}) {}

/** A person has raised a budget, in billionths of a US dollar, until the process ends; the configuration says what holds afterwards. */
export class BudgetRaised extends Schema.TaggedClass<BudgetRaised>()("BudgetRaised", {
  scope: Scope,
  from: NanoUsd,
  to: NanoUsd
}) {}

/** What is told of money. */
export const CostEvent = Schema.Union(ModelCharged, BudgetAlerted, BudgetRaised)
export type CostEvent = typeof CostEvent.Type
