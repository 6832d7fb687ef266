import * as HttpClient from "@effect/platform/HttpClient"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { FunctionCall, Message, StoredMessage, UserMessage } from "../conversation/Message.ts"
import { parseArguments, sendableArguments } from "./Arguments.ts"
import * as ChatAnswer from "./ChatAnswer.ts"
import { originOf, servedBy, type Endpoint } from "./Endpoint.ts"
import * as EventStream from "./EventStream.ts"
import { sendableName } from "./FunctionName.ts"
import type { ModelRequest, ModelService } from "./Model.ts"
import type { ModelError } from "./ModelError.ts"

export interface ChatEndpoint extends Endpoint {
  /**
   * The field in which a server wants the reasoning of the current turn back beside its calls (`reasoning_content` for
   * DeepSeek and Kimi); others reject it, so it is sent only where named.
   */
  readonly reasoningField?: string | undefined
}

/** A prompt with its images, each behind the text that names it. */
const seen = ({ content, images = [] }: UserMessage) => ({
  role: "user" as const,
  content: [
    { type: "text", text: content },
    ...images.map(({ data, mediaType }) => ({
      type: "image_url",
      image_url: { url: `data:${mediaType};base64,${data}` }
    }))
  ]
})

/** Many servers answer 400 to a history whose arguments do not parse, or with a name that no function can have. */
const sendable = (message: Message): Message =>
  message.role !== "assistant" || message.tool_calls === undefined
    ? message
    : { ...message, tool_calls: message.tool_calls.map(sendableCall) }

const sendableCall = (call: FunctionCall): FunctionCall => {
  const { arguments: text, name } = call.function
  const sent = {
    name: sendableName(name),
    arguments: Either.isRight(parseArguments(text)) ? text : JSON.stringify(sendableArguments(text))
  }
  return { ...call, function: sent }
}

const messagesOf = (stored: ReadonlyArray<StoredMessage>, reasoningField: string | undefined) => {
  const turn = stored.findLastIndex(({ message }) => message.role === "user")
  return stored.map(({ message, reasoning }, index) => {
    if (message.role === "user" && message.images !== undefined) return seen(message)
    const sent = sendable(message)
    return reasoningField !== undefined && reasoning !== undefined && index > turn && sent.role === "assistant"
      ? { ...sent, [reasoningField]: reasoning }
      : sent
  })
}

const bodyOf = (endpoint: ChatEndpoint, request: ModelRequest) => ({
  model: endpoint.model,
  messages: messagesOf(request.messages, endpoint.reasoningField),
  ...(request.functions.length === 0
    ? {}
    : { tools: request.functions.map((definition) => ({ type: "function", function: definition })) }),
  stream: true,
  stream_options: { include_usage: true },
  ...endpoint.options
})

const isLast = (data: string) => data.trim() === "[DONE]"

const callPrefix = Effect.map(Random.nextIntBetween(0, 2 ** 32), (n) => `call_${n.toString(36)}`)

/** A model behind any server that speaks OpenAI's Chat Completions: Ollama, vLLM, LM Studio, OpenRouter, DeepSeek … */
export const make = (endpoint: ChatEndpoint): Effect.Effect<ModelService, never, HttpClient.HttpClient> =>
  Effect.map(HttpClient.HttpClient, (http): ModelService => {
    const origin = originOf(endpoint)
    const headers: Record<string, string> =
      endpoint.apiKey === undefined ? {} : { authorization: `Bearer ${Redacted.value(endpoint.apiKey)}` }
    return {
      name: endpoint.model,
      served: servedBy("chat-completions", endpoint),
      stream: (request) =>
        Stream.unwrap(
          Effect.map(callPrefix, (prefix) => {
            const answer = ChatAnswer.make(origin, prefix)
            const post = { path: "/chat/completions", headers, body: bodyOf(endpoint, request), isLast }
            const broken = (error: ModelError) =>
              answer.isFinished() && (error._tag === "ModelCut" || error._tag === "ModelSilent")
                ? Stream.empty
                : Stream.fail(error)
            return EventStream.events(http, endpoint, post).pipe(
              Stream.catchAll(broken),
              Stream.mapChunksEffect((events) => Either.map(answer.accept(events), Chunk.unsafeFromArray)),
              Stream.concat(Stream.suspend(() => Stream.unwrap(Either.map(answer.end(), Stream.fromIterable))))
            )
          })
        )
    }
  })
