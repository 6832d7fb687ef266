import * as Schema from "effect/Schema"

/**
 * Tokens of one request. `inputTokens` includes `cachedInputTokens` and `cacheWriteTokens`, `outputTokens` includes
 * `reasoningTokens`.
 */
export const Usage = Schema.Struct({
  inputTokens: Schema.Number,
  outputTokens: Schema.Number,
  cachedInputTokens: Schema.Number,
  reasoningTokens: Schema.Number,
  /** Part of the input: what the provider keeps for later requests; unset if it does not tell. */
  cacheWriteTokens: Schema.optionalWith(Schema.Number, { exact: true })
}).annotations({ identifier: "Usage" })
export type Usage = typeof Usage.Type

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 }

/** Tokens of one request; whatever says more is wrong. */
export const maxTokens = 1_000_000_000

/** Whether so many tokens can be meant. */
export const isCount = (tokens: number): boolean => tokens >= 0 && tokens <= maxTokens

/** Whether these can be numbers of tokens; others are worth as much as none. */
export const isCredible = ({ cacheWriteTokens = 0, ...usage }: Usage): boolean =>
  [usage.inputTokens, usage.outputTokens, usage.cachedInputTokens, usage.reasoningTokens, cacheWriteTokens].every(
    isCount
  )
