import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Configuration } from "../config/Configuration.ts"
import { limitsOf } from "../cost/Budgets.ts"
import { Dimension } from "../cost/Book.ts"
import { Ledger } from "../cost/Ledger.ts"
import { Usage } from "../cost/Usage.ts"
import { Viewing } from "./Access.ts"
import { Project, Seq } from "./ApiSchema.ts"
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

export const group = HttpApiGroup.make("cost").add(
  HttpApiEndpoint.get("totals", "/v1/cost")
    .setUrlParams(
      Schema.Struct({
        /** What is added up by; `day` if unset. */
        by: Schema.optionalWith(Dimension, { exact: true }),
        session: Schema.optionalWith(Schema.String, { exact: true }),
        ...Project,
        /** Epoch milliseconds: the first, and the one after the last. */
        since: Schema.optionalWith(Seq, { exact: true }),
        until: Schema.optionalWith(Seq, { exact: true })
      })
    )
    .addSuccess(
      Schema.Struct({
        totals: Schema.Array(Total),
        /** What may be spent, in 10⁻⁹ USD, by `task`, `session`, `day`, `month` or `project`. */
        budgets: Schema.Record({ key: Schema.String, value: Schema.Number })
      })
    )
    .annotate(OpenApi.Description, "What model requests have cost, and the budgets.")
    .middleware(Viewing)
)

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
        budgets: Object.fromEntries(limitsOf(settings.budgets ?? {}))
      }
    })
  )
)
