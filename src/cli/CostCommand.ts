import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Configuration } from "../config/Configuration.ts"
import type { Dimension, Total } from "../cost/Book.ts"
import { limitsOf } from "../cost/Budgets.ts"
import { dayOf } from "../cost/calendar.ts"
import { Ledger } from "../cost/Ledger.ts"
import { pricesOf } from "../cost/prices.ts"
import { total } from "../cost/totals.ts"
import * as Records from "../host/Stores.ts"
import { budgetRows, chart } from "./costRows.ts"
import { project } from "./here.ts"
import * as JsonOutput from "./jsonOutput.ts"
import * as ReadOnlyHome from "./ReadOnlyHome.ts"
import { parseSince } from "./Since.ts"
import { Screen } from "./terminal/Screen.ts"
import { oneLine } from "../text/visible.ts"

export interface CostOptions extends JsonOutput.JsonOptions {
  readonly by: Dimension
  readonly since: Option.Option<string>
}

const record = ({ amount, key, requests, unpriced, usage }: Total): string =>
  JSON.stringify({ key, usd: amount / 1e9, nanoUsd: amount, requests, unpricedRequests: unpriced, usage })

/** What has no price, and how it gets one. */
const unpricedRow = (models: ReadonlyArray<Total>): ReadonlyArray<string> => {
  const unknown = models.filter(({ unpriced }) => unpriced > 0).map(({ key }) => oneLine(key))
  return unknown.length === 0
    ? []
    : [`price unknown: ${unknown.join(", ")} · tollgate config set profiles.NAME.price '{"input":1,"output":5}'`]
}

/** Sums up what model requests have cost. */
export const cost = ({ by, since, ...output }: CostOptions) =>
  Effect.gen(function* () {
    yield* JsonOutput.oneOf(output)
    const { answer, style, width } = yield* Screen
    const { settings } = yield* Configuration
    const ledger = yield* Ledger
    const now = yield* Clock.currentTimeMillis
    const filter = Option.isNone(since) ? {} : { since: yield* parseSince(since.value) }
    const totals = yield* ledger.totals(by, filter)
    if (output.json || output.jsonl) return yield* answer(JsonOutput.render(totals.map(record), output))
    if (totals.length === 0) {
      return yield* answer(Option.isNone(since) ? "No model requests yet.\n" : "No model requests since then.\n")
    }
    const limits = limitsOf(settings.budgets ?? {})
    const today = dayOf(now)
    const days = limits.size === 0 ? [] : yield* ledger.totals("day", {})
    const here = yield* project
    const spent = {
      day: total(days.filter(({ key }) => key === today)).amount,
      month: total(days.filter(({ key }) => key.startsWith(today.slice(0, 7)))).amount,
      project: limits.has("project") ? total(yield* ledger.totals("project", { project: here })).amount : undefined,
      session: undefined,
      task: undefined
    }
    const notes = [
      ...budgetRows(limits, (scope) => spent[scope]),
      ...unpricedRow(yield* ledger.totals("model", filter)),
      style.dim(`list prices of ${pricesOf}; a profile's own price outweighs them`)
    ]
    yield* answer([...chart(totals, width() - 1, style), "", ...notes].map((row) => `${row}\n`).join(""))
  }).pipe(
    Effect.provide(Records.ledger),
    Effect.provide(Screen.layer({ split: false })),
    Effect.provide(ReadOnlyHome.reading)
  )
