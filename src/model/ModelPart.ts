import * as Schema from "effect/Schema"
import type { Served } from "../telemetry/Served.ts"

/** Why a model stopped. */
export const FinishReason = Schema.Literal("stop", "length", "tool_calls", "content_filter", "other")
export type FinishReason = typeof FinishReason.Type

/** Tokens of one request. `inputTokens` includes `cachedInputTokens`, `outputTokens` includes `reasoningTokens`. */
export const Usage = Schema.Struct({
  inputTokens: Schema.Number,
  outputTokens: Schema.Number,
  cachedInputTokens: Schema.Number,
  reasoningTokens: Schema.Number
}).annotations({ identifier: "Usage" })
export type Usage = typeof Usage.Type

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 }

export interface TextDelta {
  readonly _tag: "TextDelta"
  readonly text: string
}

export interface ReasoningDelta {
  readonly _tag: "ReasoningDelta"
  readonly text: string
}

/** A fragment of the JSON arguments of the call `id`. */
export interface ArgumentsDelta {
  readonly _tag: "ArgumentsDelta"
  readonly id: string
  readonly name: string
  readonly text: string
}

/** A whole call. `arguments` is the model's JSON text as it came; whether it parses is for the runtime to judge. */
export interface FunctionCalled {
  readonly _tag: "FunctionCalled"
  readonly id: string
  readonly name: string
  readonly arguments: string
}

/** The attempt failed and another one begins: what was streamed before this part is void. */
export interface AttemptFailed {
  readonly _tag: "AttemptFailed"
  /** The number of the attempt that failed, from 1. */
  readonly attempt: number
  readonly reason: string
  readonly delayMillis: number
}

/** The last part of every stream that succeeds, exactly once. */
export interface Finished {
  readonly _tag: "Finished"
  readonly reason: FinishReason
  readonly usage: Usage
  /** The model that answered, as its server names it. */
  readonly model?: string
  readonly responseId?: string
  /** Who answered, where that is not who was asked first. */
  readonly served?: Served
  /** What this backend must get back unchanged with the next request. */
  readonly provider?: unknown
}

/** One normalised piece of a model's answer. */
export type ModelPart = TextDelta | ReasoningDelta | ArgumentsDelta | FunctionCalled | AttemptFailed | Finished
