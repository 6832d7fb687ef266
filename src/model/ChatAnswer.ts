import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { ChatChunk, type Delta } from "./ChatChunk.ts"
import * as ChatCalls from "./ChatCalls.ts"
import { ModelCut, type ModelError } from "./ModelError.ts"
import { noUsage, type FinishReason, type ModelPart, type Usage } from "./ModelPart.ts"
import { appendPart, fragmentWeight, maximumAnswer, maximumCalls } from "./PartBuffer.ts"
import { named, type Origin } from "./Reason.ts"
import { malformed, maxChunkDepth, ofErrorObject } from "./ServerFailure.ts"
import { isDeepText } from "../text/Json.ts"
import { ownValue } from "../text/ownValue.ts"

const decode = Schema.decodeUnknownEither(Schema.parseJson(ChatChunk))

const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_calls",
  function_call: "tool_calls",
  content_filter: "content_filter"
}

const fieldOf = (owner: unknown, name: string): unknown =>
  typeof owner === "object" && owner !== null ? (owner as Readonly<Record<string, unknown>>)[name] : undefined

const tokens = (value: unknown): number => {
  const count = typeof value === "string" || typeof value === "number" ? Number(value) : 0
  return Number.isFinite(count) ? Math.max(0, count) : 0
}

/** Some servers count reasoning beside the completion; the total tells. */
const usageOf = (usage: unknown): Usage => {
  const inputTokens = tokens(fieldOf(usage, "prompt_tokens"))
  const completion = tokens(fieldOf(usage, "completion_tokens"))
  const reasoningTokens = tokens(fieldOf(fieldOf(usage, "completion_tokens_details"), "reasoning_tokens"))
  const total = tokens(fieldOf(usage, "total_tokens"))
  const beside = reasoningTokens > 0 && total === inputTokens + completion + reasoningTokens
  return {
    inputTokens,
    outputTokens: beside ? completion + reasoningTokens : completion,
    cachedInputTokens: tokens(fieldOf(fieldOf(usage, "prompt_tokens_details"), "cached_tokens")),
    reasoningTokens
  }
}

const textOf = (delta: Delta): string => {
  const content = delta.content ?? ""
  const text = typeof content === "string" ? content : content.map((part) => part.text ?? "").join("")
  return text === "" ? (delta.refusal ?? "") : text
}

/** Folds the events of one Chat Completion into parts. */
export interface ChatAnswer {
  readonly accept: (events: Iterable<string>) => Either.Either<ReadonlyArray<ModelPart>, ModelError>
  /** Whether the model has said why it stopped; what may still come is its usage. */
  readonly isFinished: () => boolean
  /** The calls and `Finished`, or why the answer cannot count as one. */
  readonly end: () => Either.Either<ReadonlyArray<ModelPart>, ModelError>
}

/** `callPrefix` makes up the ids of calls that come without one. */
export const make = (origin: Origin, callPrefix: string): ChatAnswer => {
  const calls = ChatCalls.make(callPrefix)
  let reason: string | undefined
  let done = false
  let usage = noUsage
  let size = 0
  let model: string | undefined
  let responseId: string | undefined

  const acceptDelta = (delta: Delta, parts: Array<ModelPart>) => {
    const reasoning = delta.reasoning_content ?? delta.reasoning ?? ""
    if (reasoning !== "") appendPart(parts, { _tag: "ReasoningDelta", text: reasoning })
    const text = textOf(delta)
    if (text !== "") appendPart(parts, { _tag: "TextDelta", text })
    for (const call of delta.tool_calls ?? []) {
      if (calls.count() > maximumCalls) break
      const part = calls.accept(call)
      size += fragmentWeight
      if (part !== undefined) appendPart(parts, part)
    }
    size += reasoning.length + text.length
  }

  const acceptChunk = (chunk: ChatChunk, parts: Array<ModelPart>): ModelError | undefined => {
    if (chunk.error !== undefined && chunk.error !== null) return ofErrorObject(origin, chunk.error)
    model ??= chunk.model ?? undefined
    responseId ??= chunk.id ?? undefined
    if (typeof chunk.usage === "object" && chunk.usage !== null) usage = usageOf(chunk.usage)
    for (const choice of chunk.choices ?? []) {
      if ((choice.index ?? 0) !== 0) continue
      if (choice.error !== undefined && choice.error !== null) return ofErrorObject(origin, choice.error)
      const delta = choice.delta ?? choice.message
      if (delta) acceptDelta(delta, parts)
      if (choice.message) done = true
      if (choice.finish_reason) reason = choice.finish_reason
    }
    return undefined
  }

  return {
    accept: (events) => {
      const parts: Array<ModelPart> = []
      for (const event of events) {
        if (event.trim() === "[DONE]") {
          done = true
          continue
        }
        if (isDeepText(event, maxChunkDepth))
          return Either.left(malformed(origin, `a chunk that is nested deeper than ${maxChunkDepth} levels`))
        const chunk = decode(event)
        if (Either.isLeft(chunk)) return Either.left(malformed(origin, `not a chat completion chunk: ${event}`))
        const error = acceptChunk(chunk.right, parts)
        if (error !== undefined) return Either.left(error)
      }
      for (const part of parts) if (part._tag === "ArgumentsDelta") size += part.text.length
      if (calls.count() > maximumCalls) return Either.left(malformed(origin, `more than ${maximumCalls} calls`))
      return size > maximumAnswer
        ? Either.left(malformed(origin, `an answer of more than ${maximumAnswer} characters`))
        : Either.right(parts)
    },
    isFinished: () => reason !== undefined,
    end: () => {
      if (reason === undefined && !done) {
        return Either.left(
          new ModelCut({ ...named(origin), reason: "the stream ended without finish_reason and without [DONE]" })
        )
      }
      const finish = ownValue(finishReasons, reason ?? "") ?? "other"
      const called = calls.calls(finish === "length")
      const parts: Array<ModelPart> = [
        ...called,
        {
          _tag: "Finished",
          reason: called.length > 0 && finish !== "length" && finish !== "content_filter" ? "tool_calls" : finish,
          usage,
          ...(model === undefined ? {} : { model }),
          ...(responseId === undefined ? {} : { responseId })
        }
      ]
      return Either.right(parts)
    }
  }
}
