import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { format, inUsd, ofUsd } from "../../src/cost/Money.ts"
import { costOf, free, isFree, mostOf, type Price } from "../../src/cost/Price.ts"
import { priceOf } from "../../src/cost/prices.ts"
import { noUsage } from "../../src/cost/Usage.ts"

const rate = FastCheck.nat(100_000_000).map((micros) => micros / 1_000_000)
const rates = FastCheck.record({ input: rate, output: rate, cachedInput: rate, cacheWrite: rate })
const prices: FastCheck.Arbitrary<Price> = FastCheck.oneof(
  rates,
  FastCheck.record({ input: rate, output: rate }),
  FastCheck.tuple(rates, rates, FastCheck.nat(100_000)).map(([price, long, above]) => ({
    ...price,
    longContext: { above, ...long }
  }))
)
const usages = FastCheck.tuple(
  FastCheck.nat(200_000),
  FastCheck.nat(200_000),
  FastCheck.nat(200_000),
  FastCheck.nat(100_000)
).map(([plain, cached, written, outputTokens]) => ({
  ...noUsage,
  inputTokens: plain + cached + written,
  cachedInputTokens: cached,
  cacheWriteTokens: written,
  outputTokens
}))

describe("a price", () => {
  it("is what a provider would write on its bill, to the billionth of a dollar (C1)", () => {
    const sonnet = priceOf("claude-sonnet-4-5-20250929")
    assert.isDefined(sonnet)
    const usage = { ...noUsage, inputTokens: 1_000_000, cachedInputTokens: 400_000, cacheWriteTokens: 100_000 }
    // 500,000 at $3, 400,000 at $0.30, 100,000 at $3.75, and 200,000 of output at $15.
    assert.strictEqual(costOf(sonnet, { ...usage, outputTokens: 200_000 }), ofUsd(1.5 + 0.12 + 0.375 + 3))
    assert.strictEqual(costOf({ input: 0.0375, output: 0 }, { ...noUsage, inputTokens: 3 }), 113)
    const long = priceOf("gpt-5.4")
    assert.isDefined(long)
    assert.strictEqual(costOf(long, { ...noUsage, inputTokens: 272_000 }), ofUsd(0.68))
    assert.strictEqual(costOf(long, { ...noUsage, inputTokens: 300_000, outputTokens: 1000 }), ofUsd(1.5 + 0.0225))
  })

  it("is known by the names of snapshots and of providers, and unknown for any other model (C1)", () => {
    for (const name of ["gpt-5", "gpt-5-2025-08-07", "openai/gpt-5", "GPT-5"]) {
      assert.deepStrictEqual(priceOf(name), { input: 1.25, cachedInput: 0.125, output: 10 }, name)
    }
    for (const name of ["qwen3", "gpt-5-ultra", "", "constructor", "toString", "gpt-5x"]) {
      assert.isUndefined(priceOf(name), name)
    }
    assert.isTrue(isFree(free))
  })

  it.prop(
    "never is less than what the same tokens would cost apart, nor more than what is reserved (C3)",
    [prices, usages],
    ([price, usage]) => {
      const cost = costOf(price, usage)
      assert.isTrue(Number.isSafeInteger(cost) && cost >= 0)
      const { cachedInput = price.input, cacheWrite = price.input } = price
      const isCheaperCached = cachedInput <= price.input && cacheWrite >= price.input
      const isDearerLong = price.longContext === undefined
      if (isCheaperCached && isDearerLong) {
        assert.isAtMost(cost, mostOf(price, usage.inputTokens, usage.outputTokens))
      }
      const odd = { ...usage, inputTokens: Number.NaN, outputTokens: -1, cachedInputTokens: Infinity }
      assert.strictEqual(costOf(price, { ...odd, cacheWriteTokens: 0 }), 0)
    }
  )

  it("is shown in cents, and below that so that it is not nothing", () => {
    assert.deepStrictEqual(
      [0, 1, 123_456, 3_400_000, 99_400_000, 99_600_000, 1_250_000_000, 12_345_678_000_000].map(format),
      ["$0.00", "<$0.0001", "$0.0001", "$0.0034", "$0.0994", "$0.10", "$1.25", "$12345.68"]
    )
    assert.strictEqual(inUsd(ofUsd(7.25)), "7.25")
  })
})
