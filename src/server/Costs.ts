import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Configuration } from "../config/Configuration.ts"
import { limitsOf } from "../cost/Budgets.ts"
import { beginOf, dayOf } from "../cost/calendar.ts"
import { Dimension } from "../cost/Book.ts"
import { Ledger } from "../cost/Ledger.ts"
import { Usage } from "../cost/Usage.ts"
import { Viewing } from "./Access.ts"
import { Project, Query, Seq, Text } from "./ApiSchema.ts"
import { base } from "./Base.ts"
import { stored } from "./stored.ts"

const Total = Schema.Struct({
  key: Schema.String,
  /** 10⁻⁹ USD. */
  nanoUsd: Schema.Number,
  requests: Schema.Number,
  /** Those of them whose price is unknown. */
  unpricedRequests: Schema.Number,
  usage: Usage
})

const Costs = Schema.Struct({
  totals: Schema.Array(Total),
  /** What may be spent, in 10⁻⁹ USD, by `task`, `session`, `day`, `month` or `project`. */
  budgets: Schema.Record({ key: Schema.String, value: Schema.Number }),
  /** What has been spent of those that are about no single task or session: of today and of this month, and of the project that is named. */
  spent: Schema.Struct({
    day: Schema.Number,
    month: Schema.Number,
    project: Schema.optionalWith(Schema.Number, { exact: true })
  })
})
export type Costs = typeof Costs.Type

export const group = HttpApiGroup.make("cost").add(
  HttpApiEndpoint.get("totals", "/v1/cost")
    .setUrlParams(
      Query({
        /** What is added up by; `day` if unset. */
        by: Schema.optionalWith(Dimension, { exact: true }),
        session: Schema.optionalWith(Text, { exact: true }),
        ...Project,
        /** Epoch milliseconds: the first, and the one after the last. */
        since: Schema.optionalWith(Seq, { exact: true }),
        until: Schema.optionalWith(Seq, { exact: true })
      })
    )
    .addSuccess(Costs)
    .annotate(OpenApi.Description, "What model requests have cost, and the budgets.")
    .middleware(Viewing)
)

const sum = (totals: ReadonlyArray<{ readonly amount: number }>): number =>
  totals.reduce((total, { amount }) => total + amount, 0)

/** What counts against the budgets of a day, a month and a project. */
const spentNow = (project: string | undefined) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const today = dayOf(yield* Clock.currentTimeMillis)
    const since = beginOf(`${today.slice(0, 7)}-01`)
    const days = yield* ledger.totals("day", since === undefined ? {} : { since })
    return {
      day: sum(days.filter(({ key }) => key === today)),
      month: sum(days),
      ...(project === undefined ? {} : { project: sum(yield* ledger.totals("day", { project })) })
    }
  })

export const live = HttpApiBuilder.group(base.add(group), "cost", (handlers) =>
  handlers.handle("totals", ({ urlParams: { by = "day", ...filter } }) =>
    Effect.gen(function* () {
      const { settings } = yield* Configuration
      const totals = yield* stored((yield* Ledger).totals(by, filter))
      return {
        totals: totals.map(({ amount, key, requests, unpriced, usage }) => ({
          key,
          nanoUsd: amount,
          requests,
          unpricedRequests: unpriced,
          usage
        })),
        budgets: Object.fromEntries(limitsOf(settings.budgets ?? {})),
        spent: yield* stored(spentNow(filter.project))
      }
    })
  )
)
