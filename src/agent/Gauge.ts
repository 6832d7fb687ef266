import type { Terms } from "../cost/Terms.ts"
import type { FunctionDefinition } from "../model/Model.ts"
import { isCount, type Usage } from "../cost/Usage.ts"
import { memo } from "../system/memo.ts"

/** Tokens of a character as long as no answer has told. */
const assumed = 1 / 3
const least = 1 / 8
const most = 2

/** Tokens that are left for an answer where nothing bounds it. */
const assumedAnswer = 16_384

const sizeOf = memo(new WeakMap<FunctionDefinition, number>(), (definition) => JSON.stringify(definition).length)

/** Characters of what every request of a worker begins with. */
export const fixedSize = (systemPrompt: string, functions: ReadonlyArray<FunctionDefinition>): number =>
  functions.reduce((sum, definition) => sum + sizeOf(definition), systemPrompt.length)

/** The tokens of a context that messages may take; unset if unknown. */
export const roomOf = ({
  contextWindow,
  maxOutputTokens = assumedAnswer
}: Pick<Terms, "contextWindow" | "maxOutputTokens">) =>
  contextWindow === undefined || !isCount(contextWindow) || !isCount(maxOutputTokens)
    ? undefined
    : Math.floor(contextWindow * 0.98) - Math.min(maxOutputTokens, Math.floor(contextWindow / 4))

/** Estimates tokens from characters, as the last answer has told that they are. */
export class Gauge {
  private perCharacter = assumed

  /** A request of so many characters had this usage. */
  learn({ inputTokens }: Usage, characters: number): void {
    if (inputTokens > 0 && characters > 0) {
      this.perCharacter = Math.min(most, Math.max(least, inputTokens / characters))
    }
  }

  tokens(characters: number): number {
    return Math.ceil(characters * this.perCharacter)
  }

  characters(tokens: number): number {
    return Math.floor(tokens / this.perCharacter)
  }
}
