import * as AnthropicClient from "@effect/ai-anthropic/AnthropicClient"
import * as AnthropicLanguageModel from "@effect/ai-anthropic/AnthropicLanguageModel"
import type * as Response from "@effect/ai/Response"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { usageOf } from "./AiAnswer.ts"
import * as AiLanguageModel from "./AiLanguageModel.ts"
import { originOf, servedBy, type Endpoint } from "./Endpoint.ts"
import type { ModelService } from "./Model.ts"
import type { Usage } from "./ModelPart.ts"
import { anthropicOutput } from "./Profile.ts"
import * as ProviderEvents from "./ProviderEvents.ts"
import { record, unquoted, type Json } from "./ProviderEvents.ts"

const stopReasons = new Set(["end_turn", "max_tokens", "stop_sequence", "tool_use", "pause_turn", "refusal"])

/** Reasons that are newer than the provider. */
const stopReason = (reason: unknown): unknown =>
  typeof reason !== "string" || stopReasons.has(reason)
    ? reason
    : reason === "model_context_window_exceeded"
      ? "max_tokens"
      : "end_turn"

const trim = (event: Json): Json => {
  if (event["type"] !== "message_delta") return event
  const delta = record(event["delta"])
  return { ...event, delta: { ...delta, stop_reason: stopReason(delta["stop_reason"]) } }
}

const protocol = {
  schema: AnthropicClient.MessageStreamEvent,
  trim,
  essential: new Set(["message_start", "message_delta", "message_stop"]),
  last: new Set(["message_stop", "error"])
}

/** Anthropic counts what it reads from and writes to its cache beside the input. */
const usage = (finish: Response.FinishPart): Usage => {
  const counted = usageOf(finish)
  const written = record(record(finish.metadata["anthropic"])["usage"])["cache_creation_input_tokens"]
  const cacheWriteTokens = typeof written === "number" && written > 0 ? written : 0
  return {
    ...counted,
    inputTokens: counted.inputTokens + counted.cachedInputTokens + cacheWriteTokens,
    ...(cacheWriteTokens === 0 ? {} : { cacheWriteTokens })
  }
}

const unquote = (message: Json): Json => {
  const content = message["content"]
  return Array.isArray(content)
    ? {
        ...message,
        content: content.map((block: Json) =>
          block["type"] === "tool_result" ? { ...block, content: unquoted(block["content"]) } : block
        )
      }
    : message
}

/** A model behind Anthropic's Messages API. */
export const open = (endpoint: Endpoint): Effect.Effect<ModelService, never, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const http = yield* HttpClient.HttpClient
    const client = yield* Effect.scoped(AnthropicClient.make({}))
    const config = { max_tokens: anthropicOutput, ...endpoint.options }
    const languageModel = yield* AnthropicLanguageModel.make({ model: endpoint.model, config }).pipe(
      Effect.provideService(AnthropicClient.AnthropicClient, {
        ...client,
        createMessageStream: ({ params, payload }) => {
          const beta = params?.["anthropic-beta"]
          const headers: Record<string, string> = {
            "anthropic-version": "2023-06-01",
            ...(beta === undefined ? {} : { "anthropic-beta": String(beta) }),
            ...(endpoint.apiKey === undefined ? {} : { "x-api-key": Redacted.value(endpoint.apiKey) })
          }
          const messages = payload.messages.map((message) => unquote(record(message)))
          const body = { ...payload, messages, stream: true }
          return ProviderEvents.events(http, endpoint, { path: "/v1/messages", headers, body }, protocol)
        }
      })
    )
    const { url, secrets } = originOf(endpoint)
    const served = servedBy("anthropic", { ...endpoint, options: config })
    return AiLanguageModel.make(languageModel, {
      name: endpoint.model,
      backend: "anthropic",
      url,
      secrets,
      served,
      usage
    })
  })
