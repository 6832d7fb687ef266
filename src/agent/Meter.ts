import { noUsage, type Usage } from "../model/ModelPart.ts"

const add = (a: Usage, b: Usage): Usage => ({
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
  reasoningTokens: a.reasoningTokens + b.reasoningTokens
})

/** What has been used so far; what a part of the work uses counts in the whole as well. */
export class Meter {
  usage: Usage
  readonly whole: Meter | undefined

  /** `usage` was used before, and counts in the whole already. */
  constructor(whole?: Meter, usage: Usage = noUsage) {
    this.whole = whole
    this.usage = usage
  }

  add(usage: Usage): void {
    this.usage = add(this.usage, usage)
    this.whole?.add(usage)
  }

  /** Tokens of the whole. */
  get totalTokens(): number {
    return this.whole?.totalTokens ?? this.usage.inputTokens + this.usage.outputTokens
  }
}
