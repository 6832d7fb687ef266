import * as Schema from "effect/Schema"

export { money as format } from "../text/money.ts"

/** Billionths of a US dollar; always whole, so that sums are exact. */
export const NanoUsd = Schema.NonNegativeInt.annotations({ identifier: "NanoUsd" })
export type NanoUsd = typeof NanoUsd.Type

const perDollar = 1_000_000_000

export const ofUsd = (usd: number): NanoUsd => Math.min(Number.MAX_SAFE_INTEGER, Math.round(usd * perDollar))

/** The amount in dollars as it is written in a configuration. */
export const inUsd = (amount: NanoUsd): string => String(amount / perDollar)
