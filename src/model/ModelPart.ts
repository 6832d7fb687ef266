import * as Schema from "effect/Schema"
import type { Terms } from "../cost/Terms.ts"
import type { Usage } from "../cost/Usage.ts"
import type { Served } from "../telemetry/Served.ts"

/** Why a model stopped. */
export const FinishReason = Schema.Literal("stop", "length", "tool_calls", "content_filter", "other")
export type FinishReason = typeof FinishReason.Type

/** Reasons for which an answer is not all that the model would have said. */
export const CutOff = FinishReason.pipe(Schema.pickLiteral("length", "content_filter"))
export type CutOff = typeof CutOff.Type

export { noUsage, Usage } from "../cost/Usage.ts"

/** A fragment of the answer's text. */
export interface TextDelta {
  readonly _tag: "TextDelta"
  /** Follows the text of the deltas before it. */
  readonly text: string
}

/** A fragment of what the model thinks aloud. */
export interface ReasoningDelta {
  readonly _tag: "ReasoningDelta"
  /** Follows the text of the deltas before it. */
  readonly text: string
}

/** A fragment of the JSON arguments of the call `id`. */
export interface ArgumentsDelta {
  readonly _tag: "ArgumentsDelta"
  /** The id of the call, as the model gave it. */
  readonly id: string
  /** The tool's name. */
  readonly name: string
  /** Follows the text of the deltas of the same call before it. */
  readonly text: string
}

/** A whole call. `arguments` is the model's JSON text as it came; whether it parses is for the runtime to judge. */
export interface FunctionCalled {
  readonly _tag: "FunctionCalled"
  /** The id of the call, as the model gave it; its result names it. */
  readonly id: string
  /** The tool's name. */
  readonly name: string
  /** JSON text. */
  readonly arguments: string
}

/** The attempt failed and another one begins: what was streamed before this part is void. */
export interface AttemptFailed {
  readonly _tag: "AttemptFailed"
  /** The number of the attempt that failed, from 1. */
  readonly attempt: number
  /** What failed, in one sentence. */
  readonly reason: string
  /** The pause before the next attempt. */
  readonly delayMillis: number
  /** The model that is asked next, where that is another one. */
  readonly next?: Terms
}

/** The last part of every stream that succeeds, exactly once. */
export interface Finished {
  readonly _tag: "Finished"
  /** Why the model stopped. */
  readonly reason: FinishReason
  /** The tokens of this request. */
  readonly usage: Usage
  /** The model that answered, as its server names it. */
  readonly model?: string
  /** The server's id of the answer. */
  readonly responseId?: string
  /** Who answered, where that is not who was asked first. */
  readonly served?: Served
  /** What this backend must get back unchanged with the next request. */
  readonly provider?: unknown
}

/** One normalised piece of a model's answer. */
export type ModelPart = TextDelta | ReasoningDelta | ArgumentsDelta | FunctionCalled | AttemptFailed | Finished
