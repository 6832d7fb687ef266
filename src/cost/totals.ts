import type { Usage } from "./Usage.ts"
import type { Charge } from "./Charge.ts"
import type { NanoUsd } from "./Money.ts"
import { counted } from "./Price.ts"

/** What some charges come to, without a name. */
export interface Sum {
  readonly requests: number
  readonly unpriced: number
  readonly amount: NanoUsd
  readonly usage: Required<Usage>
}

const nothing: Sum = {
  requests: 0,
  unpriced: 0,
  amount: 0,
  usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }
}

const addUsage = (a: Required<Usage>, b: Required<Usage>): Required<Usage> => ({
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
  cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
  reasoningTokens: a.reasoningTokens + b.reasoningTokens
})

const add = (a: Sum, b: Sum): Sum => ({
  requests: a.requests + b.requests,
  unpriced: a.unpriced + b.unpriced,
  amount: a.amount + b.amount,
  usage: addUsage(a.usage, b.usage)
})

export const total = (sums: ReadonlyArray<Sum>): Sum => sums.reduce(add, nothing)

export const sumOf = ({ amount, usage }: Charge): Sum => ({
  requests: 1,
  unpriced: amount === undefined ? 1 : 0,
  amount: amount ?? 0,
  usage: counted(usage)
})

/** An equal part of a whole number; the first ones have what is left over. */
const part = (whole: number, of: number, at: number): number => Math.floor(whole / of) + (at < whole % of ? 1 : 0)

/** What has no tool to be charged to: the answers that called none. */
const noTool = "(answers)"

/** A sum that belongs to several tools, shared out equally among them without loss. */
export const shares = (tools: ReadonlyArray<string>, sum: Sum): ReadonlyArray<readonly [string, Sum]> => {
  if (tools.length === 0) return [[noTool, sum]]
  return tools.map((tool, at) => {
    const own = (whole: number) => part(whole, tools.length, at)
    const { amount, requests, unpriced, usage } = sum
    return [
      tool,
      {
        requests,
        unpriced,
        amount: own(amount),
        usage: {
          inputTokens: own(usage.inputTokens),
          outputTokens: own(usage.outputTokens),
          cachedInputTokens: own(usage.cachedInputTokens),
          cacheWriteTokens: own(usage.cacheWriteTokens),
          reasoningTokens: own(usage.reasoningTokens)
        }
      }
    ]
  })
}

/** Adds up what has the same key, in the order in which reports show it. */
export const grouped = (
  parts: Iterable<readonly [string, Sum]>,
  latestFirst: boolean
): ReadonlyArray<Sum & { readonly key: string }> => {
  const sums = new Map<string, Sum>()
  for (const [key, sum] of parts) {
    const known = sums.get(key)
    sums.set(key, known === undefined ? sum : add(known, sum))
  }
  const tokens = ({ usage }: Sum) => usage.inputTokens + usage.outputTokens
  return [...sums]
    .map(([key, sum]) => ({ key, ...sum }))
    .toSorted((a, b) =>
      latestFirst
        ? b.key < a.key
          ? -1
          : 1
        : b.amount - a.amount || tokens(b) - tokens(a) || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)
    )
}
