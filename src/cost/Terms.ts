import type { Price } from "./Price.ts"

/** On what terms a model answers, as far as they are known. */
export interface Terms {
  /** The model's name, as messages and prices know it. */
  readonly name: string
  /** The profile that it is opened by. */
  readonly profile?: string
  /** What it costs; the list price of its name if unset. */
  readonly price?: Price
  /** Tokens of the longest answer that its server gives. */
  readonly maxOutputTokens?: number
  /** Tokens that a request and its answer may have together. */
  readonly contextWindow?: number
  /** Whether it can be shown images. */
  readonly images?: boolean
}
