import * as Schema from "effect/Schema"
import { finiteNumber } from "../system/wholeNumber.ts"
import { type NanoUsd, ofUsd } from "./Money.ts"
import { isPrice, Price } from "./Price.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** What a budget is for: a task with its sub-workers, a session, a day or a month of the user's calendar, a project. */
export const Scope = Schema.Literal("task", "session", "day", "month", "project")
export type Scope = typeof Scope.Type

const Usd = Schema.Number.pipe(
  Schema.filter((usd) => usd >= 0 && usd <= 1_000_000, {
    message: () => "expected an amount in USD from 0 to 1,000,000; with 0 only models that cost nothing run"
  })
)

/** Budgets as a configuration has them, in USD. */
export const Budgets = Schema.Struct({
  task: optional(Usd),
  session: optional(Usd),
  day: optional(Usd),
  month: optional(Usd),
  project: optional(Usd),
  /** What happens to a request whose price is unknown: it is refused, or counts at this price. Default: `refuse`. */
  unknownPrice: optional(Schema.Union(Schema.Literal("refuse"), Price)),
  /** What happens to a request that does not fit: it is refused, or a person is asked to raise the budget first. Default: `refuse`. */
  atLimit: optional(Schema.Literal("refuse", "ask")),
  /** A program that gets each alert as one JSON object on its standard input; no shell is involved. */
  hook: optional(Schema.NonEmptyArray(Schema.NonEmptyString))
})
export type Budgets = typeof Budgets.Type

export type Limits = ReadonlyMap<Scope, NanoUsd>

/** Dies of an amount that bounds nothing, which no configuration has. */
export const limitsOf = (budgets: Budgets): Limits =>
  new Map(
    Scope.literals.flatMap((scope) => {
      const usd = budgets[scope]
      return usd === undefined ? [] : [[scope, ofUsd(finiteNumber(`budgets.${scope}`, usd))] as const]
    })
  )

/** At what price a request counts whose own is unknown; nothing where it is refused. Dies of one that would lift a budget. */
export const unknownPriceOf = ({ unknownPrice = "refuse" }: Budgets): Price | undefined => {
  if (unknownPrice === "refuse") return undefined
  if (isPrice(unknownPrice)) return unknownPrice
  const { input, output } = unknownPrice
  finiteNumber("budgets.unknownPrice: input", input)
  finiteNumber("budgets.unknownPrice: output", output)
  throw new RangeError("budgets.unknownPrice must be a price in USD per million tokens.")
}
