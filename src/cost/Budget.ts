import * as Schema from "effect/Schema"
import { type Limits, Scope } from "./Budgets.ts"
import { format, inUsd, NanoUsd } from "./Money.ts"
import type { Payer } from "./Payer.ts"

/** Where a charge counts: for each scope, which one. */
export type Places = Readonly<Record<Scope, string>>

/** `day` is `YYYY-MM-DD`; a scope is blank that the payer has nothing of, and no budget of it counts. */
export const placesOf = ({ project, session, task }: Payer, day: string): Places => ({
  task: task === "" ? "" : JSON.stringify([session, task]),
  session,
  day,
  month: day.slice(0, 7),
  project
})

/** What a place has come to. */
export interface Standing {
  readonly spent: NanoUsd
  readonly reserved: NanoUsd
  /** The percentage that was told last, and the limit that it is of. */
  readonly alerted: number
  readonly alertedOf: NanoUsd
}

export const untouched: Standing = { spent: 0, reserved: 0, alerted: 0, alertedOf: 0 }

/** So many percent of a budget are spent. */
export interface Alert {
  readonly scope: Scope
  readonly place: string
  readonly percent: number
  readonly spent: NanoUsd
  readonly limit: NanoUsd
}

const levels: ReadonlyArray<number> = [50, 75, 90, 100]

/** What must be told now of the budgets that count, the least first for each; another limit begins anew. */
export const alertsOf = (limits: Limits, places: Places, standing: (scope: Scope) => Standing): ReadonlyArray<Alert> =>
  [...limits].flatMap(([scope, limit]) => {
    const { alerted, alertedOf, spent } = standing(scope)
    const before = alertedOf === limit ? alerted : 0
    return levels
      .filter((percent) => percent > before && BigInt(spent) * 100n >= BigInt(limit) * BigInt(percent) && spent > 0)
      .map((percent) => ({ scope, place: places[scope], percent, spent, limit }))
  })

/** The last alert for each budget, which its standing keeps. */
export const toldBy = (alerts: ReadonlyArray<Alert>): Iterable<Alert> =>
  new Map(alerts.map((alert) => [alert.scope, alert])).values()

/** The first budget that so much more does not fit in. */
export const exceeded = (
  limits: Limits,
  standing: (scope: Scope) => Standing,
  amount: NanoUsd
): BudgetReached | undefined => {
  for (const [scope, limit] of limits) {
    const { reserved, spent } = standing(scope)
    if (amount > 0 && spent + reserved + amount > limit) {
      return new BudgetReached({ scope, limit, spent, reserved, needed: amount })
    }
  }
  return undefined
}

const named: Readonly<Record<Scope, string>> = {
  task: "this task",
  session: "this session",
  day: "today",
  month: "this month",
  project: "this project"
}

export const nameOf = (scope: Scope): string => named[scope]

/** The next round sum that leaves room for the request. */
export const raised = ({ limit, needed, reserved, spent }: BudgetReached): NanoUsd =>
  Math.ceil(Math.max(limit * 2, spent + reserved + needed) / 10_000_000) * 10_000_000

/** A model request was not sent, because what it may cost is more than a budget has left. */
export class BudgetReached extends Schema.TaggedError<BudgetReached>()("BudgetReached", {
  scope: Scope,
  limit: NanoUsd,
  spent: NanoUsd,
  /** By requests that are on their way. */
  reserved: NanoUsd,
  /** What the request may cost. */
  needed: NanoUsd
}) {
  readonly retryable = false
  override get message() {
    const taken = this.reserved === 0 ? "" : ` and ${format(this.reserved)} reserved`
    return `The budget of ${format(this.limit)} for ${named[this.scope]} is reached: ${format(this.spent)} spent${taken}; the next request may cost up to ${format(this.needed)}. Raise budgets.${this.scope} to ${inUsd(raised(this))} or more.`
  }
}

/** A model request was not sent, because a budget applies and nobody knows what the model costs. */
export class PriceUnknown extends Schema.TaggedError<PriceUnknown>()("PriceUnknown", {
  profile: Schema.String,
  model: Schema.String
}) {
  readonly retryable = false
  override get message() {
    return `The price of model ${this.model} is unknown, and a budget applies. Set profiles.${this.profile}.price in USD per million tokens, or to free for a model that costs nothing.`
  }
}
