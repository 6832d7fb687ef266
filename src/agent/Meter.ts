import { noUsage, type Usage } from "../model/ModelPart.ts"

const add = (a: Usage, b: Usage): Usage => ({
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
  reasoningTokens: a.reasoningTokens + b.reasoningTokens,
  ...(a.cacheWriteTokens === undefined && b.cacheWriteTokens === undefined
    ? {}
    : { cacheWriteTokens: (a.cacheWriteTokens ?? 0) + (b.cacheWriteTokens ?? 0) })
})

/** What has been used so far; what a part of the work uses counts in the whole as well. */
export class Meter {
  usage: Usage
  readonly whole: Meter | undefined
  readonly limit: number

  /** `usage` was used before, and counts in the whole already; `limit` is in tokens. */
  constructor(whole?: Meter, usage: Usage = noUsage, limit = Infinity) {
    this.whole = whole
    this.limit = limit
    this.usage = usage
  }

  add(usage: Usage): void {
    this.usage = add(this.usage, usage)
    this.whole?.add(usage)
  }

  /** The limit that is reached, of this part or of one that it is a part of. */
  get exceeded(): number | undefined {
    const used = this.usage.inputTokens + this.usage.outputTokens
    return used >= this.limit ? this.limit : this.whole?.exceeded
  }

  /** Tokens of the whole. */
  get totalTokens(): number {
    return this.whole?.totalTokens ?? this.usage.inputTokens + this.usage.outputTokens
  }
}
