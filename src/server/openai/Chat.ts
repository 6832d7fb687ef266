import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Usage } from "../../model/ModelPart.ts"
import { Ids } from "../../tool/Ids.ts"
import { Operating } from "../Access.ts"
import { Refusal } from "../ApiError.ts"
import { base } from "../Base.ts"
import * as Sse from "../Sse.ts"
import { ChatRequest, turnOf } from "./ChatRequest.ts"
import { collected } from "./collected.ts"
import { begin } from "./Exchange.ts"
import type { Said, WantedCall } from "./Said.ts"
import { documented, InvalidRequest, openAiError } from "./OpenAiError.ts"
import { unicodeJson } from "../../text/wellFormed.ts"

const FinishReason = Schema.Literal("stop", "length", "tool_calls", "content_filter")

const ChatUsage = Schema.Struct({
  prompt_tokens: Schema.Number,
  completion_tokens: Schema.Number,
  total_tokens: Schema.Number,
  prompt_tokens_details: Schema.Struct({ cached_tokens: Schema.Number }),
  completion_tokens_details: Schema.Struct({ reasoning_tokens: Schema.Number })
})

const ChatCompletion = Schema.Struct({
  id: Schema.String,
  object: Schema.Literal("chat.completion"),
  created: Schema.Number,
  model: Schema.String,
  choices: Schema.Array(
    Schema.Struct({
      index: Schema.Number,
      message: Schema.Struct({
        role: Schema.Literal("assistant"),
        content: Schema.NullOr(Schema.String),
        refusal: Schema.Null,
        tool_calls: Schema.optionalWith(
          Schema.Array(
            Schema.Struct({
              id: Schema.String,
              type: Schema.Literal("function"),
              function: Schema.Struct({ name: Schema.String, arguments: Schema.String })
            })
          ),
          { exact: true }
        )
      }),
      logprobs: Schema.Null,
      finish_reason: FinishReason
    })
  ),
  usage: ChatUsage
}).annotations({ identifier: "ChatCompletion" })

export const group = HttpApiGroup.make("chat").add(
  HttpApiEndpoint.post("complete", "/v1/chat/completions")
    .setPayload(ChatRequest)
    .addSuccess(ChatCompletion)
    .addError(InvalidRequest)
    .addError(Refusal)
    .annotate(
      OpenApi.Description,
      "A conversation as OpenAI's Chat Completions have it. The header x-tollgate-session, or metadata.session, names its session. A client that declares the function client.requestApproval, or client_requestApproval, is asked by a call of it; other functions that it declares are its own to run."
    )
    .annotateContext(documented(true))
    .middleware(Operating)
)

const usageOf = ({ cachedInputTokens, inputTokens, outputTokens, reasoningTokens }: Usage) => ({
  prompt_tokens: inputTokens,
  completion_tokens: outputTokens,
  total_tokens: inputTokens + outputTokens,
  prompt_tokens_details: { cached_tokens: cachedInputTokens },
  completion_tokens_details: { reasoning_tokens: reasoningTokens }
})

const reasonOf = (finish: string): typeof FinishReason.Type =>
  finish === "length" || finish === "content_filter" ? finish : "stop"

const callOf = ({ arguments: text, id, name }: WantedCall) => ({
  id,
  type: "function" as const,
  function: { name, arguments: text }
})

const event = (data: unknown): string =>
  `data: ${typeof data === "string" ? data : unicodeJson(JSON.stringify(data))}\n\n`

interface Head {
  readonly id: string
  readonly created: number
  readonly model: string
}

/** What a client is told, as chunks of one completion. */
const chunksOf = (said: Stream.Stream<Said>, head: Head, withUsage: boolean): Stream.Stream<string> => {
  const chunk = (delta: object, finish: string | null = null): string =>
    event({
      ...head,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...(withUsage ? { usage: null } : {})
    })
  const done = (usage: Usage): ReadonlyArray<string> => [
    ...(withUsage ? [event({ ...head, object: "chat.completion.chunk", choices: [], usage: usageOf(usage) })] : []),
    event("[DONE]")
  ]
  const texts = Stream.mapConcat(said, (one): ReadonlyArray<string> => {
    switch (one._tag) {
      case "Text":
        return [chunk({ content: one.text })]
      case "Calls":
        return [
          ...one.calls.map((call, index) => chunk({ tool_calls: [{ index, ...callOf(call) }] })),
          chunk({}, "tool_calls"),
          ...done(one.usage)
        ]
      case "Ended":
        return [chunk({}, reasonOf(one.finish)), ...done(one.usage)]
      case "Failed":
        return [event(openAiError(422, one.message, one.code))]
    }
  })
  return Stream.concat(Stream.succeed(chunk({ role: "assistant", content: "" })), texts)
}

/** A whole completion. */
const completionOf = (said: Stream.Stream<Said>, head: Head) =>
  Effect.map(collected(said), ({ calls, finish, text, usage }): typeof ChatCompletion.Type => ({
    ...head,
    object: "chat.completion",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: text === "" && calls.length > 0 ? null : text,
          refusal: null,
          ...(calls.length === 0 ? {} : { tool_calls: calls.map(callOf) })
        },
        logprobs: null,
        finish_reason: calls.length > 0 ? "tool_calls" : reasonOf(finish)
      }
    ],
    usage: usageOf(usage)
  }))

export const live = HttpApiBuilder.group(base.add(group), "chat", (handlers) =>
  handlers.handle("complete", ({ payload, request: { headers } }) =>
    Effect.gen(function* () {
      const turn = yield* turnOf(payload, headers)
      if (payload.stream === true) yield* Sse.enter
      const { model, said, session } = yield* begin(turn)
      const id = yield* (yield* Ids).next("chatcmpl")
      const head = { id, created: Math.floor((yield* Clock.currentTimeMillis) / 1000), model }
      const named = { "x-tollgate-session": session }
      if (payload.stream === true) {
        return yield* Sse.respondText(chunksOf(said, head, payload.stream_options?.include_usage === true), named)
      }
      const completion = yield* completionOf(said, head)
      return HttpServerResponse.unsafeJson(completion, { headers: named })
    })
  )
)
