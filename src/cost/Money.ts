import * as Schema from "effect/Schema"

/** Billionths of a US dollar; always whole, so that sums are exact. */
export const NanoUsd = Schema.NonNegativeInt.annotations({ identifier: "NanoUsd" })
export type NanoUsd = typeof NanoUsd.Type

const perDollar = 1_000_000_000

export const ofUsd = (usd: number): NanoUsd => Math.min(Number.MAX_SAFE_INTEGER, Math.round(usd * perDollar))

/** Cents from ten cents on, and below that as many digits as it takes to show something: `$1.25`, `$0.0034`. */
export const format = (amount: NanoUsd): string => {
  if (amount === 0) return "$0.00"
  const usd = amount / perDollar
  if (usd >= 0.0995) return `$${usd.toFixed(2)}`
  return usd < 0.0001 ? "<$0.0001" : `$${usd.toFixed(4)}`
}

/** The amount in dollars as it is written in a configuration. */
export const inUsd = (amount: NanoUsd): string => String(amount / perDollar)
