import * as Schema from "effect/Schema"
import { maxTokens, type Usage } from "./Usage.ts"
import { lazy } from "../system/lazy.ts"
import { memo } from "../system/memo.ts"
import type { NanoUsd } from "./Money.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** USD per million tokens. */
const Rate = Schema.Number.pipe(Schema.between(0, 1_000_000), Schema.finite())

const rates = {
  input: Rate,
  output: Rate,
  /** Input that the provider has read before. Default: as other input. */
  cachedInput: optional(Rate),
  /** Input that the provider keeps for later requests. Default: as other input. */
  cacheWrite: optional(Rate)
}

/** What a model costs: USD per million tokens. Reasoning is output, an image the tokens that its provider counts for it. */
export const Price = Schema.Struct({
  ...rates,
  /** For a whole request whose input has more tokens than `above`. */
  longContext: optional(Schema.Struct({ above: Schema.NonNegativeInt, ...rates }))
}).annotations({ identifier: "Price" })
export type Price = typeof Price.Type

const isValid = lazy(() => Schema.is(Price))

/** Whether this can be what a model costs; amounts that are negative or no numbers would lift a budget. */
export const isPrice = memo(new WeakMap<Price, boolean>(), (price) => isValid()(price))

/** Of a model that costs nothing, as one on the user's own machine. */
export const free: Price = { input: 0, output: 0 }

export const isFree = ({ input, longContext, output }: Price): boolean =>
  input === 0 && output === 0 && longContext === undefined

const whole = (tokens: number | undefined = 0): number =>
  Number.isFinite(tokens) ? Math.min(maxTokens, Math.max(0, Math.ceil(tokens))) : 0

/** The usage as it is booked: whole and bounded counts. */
export const counted = (usage: Usage): Required<Usage> => ({
  inputTokens: whole(usage.inputTokens),
  outputTokens: whole(usage.outputTokens),
  cachedInputTokens: whole(usage.cachedInputTokens),
  cacheWriteTokens: whole(usage.cacheWriteTokens),
  reasoningTokens: whole(usage.reasoningTokens)
})

/** Trillionths of a dollar for each token, which is exact to the sixth decimal of a rate. */
const picos = (rate: number): bigint => BigInt(Math.round(rate * 1_000_000))

/** What a request costs, rounded up to the next billionth of a dollar. */
export const costOf = (price: Price, usage: Usage): NanoUsd => {
  const { cacheWriteTokens, cachedInputTokens, inputTokens, outputTokens } = counted(usage)
  const long = price.longContext
  const { cacheWrite, cachedInput, input, output } = long !== undefined && inputTokens > long.above ? long : price
  const plain = Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens)
  const total =
    BigInt(plain) * picos(input) +
    BigInt(cachedInputTokens) * picos(cachedInput ?? input) +
    BigInt(cacheWriteTokens) * picos(cacheWrite ?? input) +
    BigInt(outputTokens) * picos(output)
  const amount = (total + 999n) / 1000n
  return amount > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(amount)
}

/** The most that so many tokens can cost: none of the input is cached, and all of it may be kept. */
export const mostOf = (price: Price, inputTokens: number, outputTokens: number): NanoUsd => {
  const usage = { inputTokens, outputTokens, cachedInputTokens: 0, reasoningTokens: 0 }
  return Math.max(costOf(price, usage), costOf(price, { ...usage, cacheWriteTokens: inputTokens }))
}
