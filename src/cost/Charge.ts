import * as Schema from "effect/Schema"
import { Usage } from "./Usage.ts"
import { NanoUsd } from "./Money.ts"
import { Payer } from "./Payer.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** How an attempt ended; `lost` with its process, so that nobody knows. */
export const Outcome = Schema.Literal("answered", "failed", "interrupted", "lost")
export type Outcome = typeof Outcome.Type

/** One attempt of a model request in the ledger. */
export const Charge = Schema.Struct({
  payer: Payer,
  /** Epoch milliseconds. */
  time: Schema.Number,
  /** Of the user's calendar: `2026-11-22`. */
  day: Schema.String,
  profile: Schema.String,
  model: Schema.String,
  /** From 1. */
  attempt: Schema.Number,
  outcome: Outcome,
  usage: Usage,
  /** Unset if the price is unknown. */
  amount: optional(NanoUsd),
  /** Whether the usage is ours, as the server told none. */
  estimated: Schema.Boolean,
  /** What the answer called. */
  tools: Schema.Array(Schema.String)
})
export type Charge = typeof Charge.Type
