import type { Price } from "./Price.ts"

/** The day of the latest price in the table. */
export const pricesOf = "2026-10-24"

const openAi = (input: number, cachedInput: number, output: number): Price => ({ input, cachedInput, output })

/** Anthropic: cache writes for five minutes cost a quarter more than input; reads a tenth where nothing else is said. */
const anthropic = (input: number, output: number, cachedInput = input / 10): Price => ({
  input,
  output,
  cachedInput,
  cacheWrite: input * 1.25
})

/** OpenAI charges a request with more than 272,000 input tokens as a whole: input twice, output half as much again. */
const long = (price: Price): Price => ({
  ...price,
  longContext: {
    above: 272_000,
    input: price.input * 2,
    output: price.output * 1.5,
    ...(price.cachedInput === undefined ? {} : { cachedInput: price.cachedInput * 2 })
  }
})

/**
 * List prices of common models in USD per million tokens, standard tier: input, cached input, output. As their
 * vendors announced them (developers.openai.com/api/docs/pricing, platform.claude.com/docs/en/about-claude/pricing), each when its model
 * came out; a later change is not in it, and `profiles.NAME.price` says otherwise.
 * A model whose tariff is not known whole is left out: its price is unknown until a profile has one.
 */
const table: Readonly<Record<string, Price>> = {
  "gpt-5.5": long(openAi(5, 0.5, 30)),
  "gpt-5.5-pro": { input: 30, output: 180 },
  "gpt-5.4": long(openAi(2.5, 0.25, 15)),
  "gpt-5.4-mini": openAi(0.75, 0.075, 4.5),
  "gpt-5.4-nano": openAi(0.2, 0.02, 1.25),
  "gpt-5.3-codex": openAi(1.75, 0.175, 14),
  "gpt-5.2": openAi(1.75, 0.175, 14),
  "gpt-5.2-codex": openAi(1.75, 0.175, 14),
  "gpt-5.1": openAi(1.25, 0.125, 10),
  "gpt-5.1-codex": openAi(1.25, 0.125, 10),
  "gpt-5.1-codex-max": openAi(1.25, 0.125, 10),
  "gpt-5.1-codex-mini": openAi(0.25, 0.025, 2),
  "gpt-5": openAi(1.25, 0.125, 10),
  "gpt-5-codex": openAi(1.25, 0.125, 10),
  "gpt-5-mini": openAi(0.25, 0.025, 2),
  "gpt-5-nano": openAi(0.05, 0.005, 0.4),
  "gpt-4.1": openAi(2, 0.5, 8),
  "gpt-4.1-mini": openAi(0.4, 0.1, 1.6),
  "gpt-4.1-nano": openAi(0.1, 0.025, 0.4),
  "gpt-4o": openAi(2.5, 1.25, 10),
  "gpt-4o-mini": openAi(0.15, 0.075, 0.6),
  o3: openAi(2, 0.5, 8),
  "o4-mini": openAi(1.1, 0.275, 4.4),
  "text-embedding-3-small": { input: 0.02, output: 0 },
  "text-embedding-3-large": { input: 0.13, output: 0 },
  "text-embedding-ada-002": { input: 0.1, output: 0 },
  "claude-fable-5-1": anthropic(10, 50, 0.25),
  "claude-fable-5": anthropic(10, 50),
  "claude-opus-5-5": anthropic(4, 20, 0.2),
  "claude-opus-5": anthropic(5, 25),
  "claude-opus-4-8": anthropic(5, 25),
  "claude-opus-4-7": anthropic(5, 25),
  "claude-opus-4-6": anthropic(5, 25),
  "claude-opus-4-5": anthropic(5, 25),
  "claude-opus-4-1": anthropic(15, 75),
  "claude-opus-4": anthropic(15, 75),
  "claude-sonnet-5-5": anthropic(2, 10, 0.1),
  "claude-sonnet-5": anthropic(2, 10),
  "claude-sonnet-4-6": anthropic(3, 15),
  "claude-sonnet-4-5": anthropic(3, 15),
  "claude-sonnet-4": anthropic(3, 15),
  "claude-haiku-5-5": {
    ...anthropic(0.1, 0.5),
    longContext: { above: 100_000, input: 0.5, output: 2.5, cachedInput: 0.05, cacheWrite: 0.625 }
  },
  "claude-haiku-4-5": anthropic(1, 5),
  "claude-3-5-haiku": anthropic(0.8, 4)
}

/** What may follow the name of a model: the date of a snapshot, or that it is the newest. */
const suffix = /-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest|0)$/

/** The list price of a model, also of a dated snapshot and behind the name of its provider; unset if unknown. */
export const priceOf = (model: string): Price | undefined => {
  const name = model.toLowerCase().replace(/^(?:openai|anthropic)\//, "")
  const known = [name, name.replace(suffix, "")].find((one) => Object.hasOwn(table, one))
  return known === undefined ? undefined : table[known]
}
