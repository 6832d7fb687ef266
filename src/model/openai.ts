import * as OpenAiClient from "@effect/ai-openai/OpenAiClient"
import * as OpenAiLanguageModel from "@effect/ai-openai/OpenAiLanguageModel"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as AiLanguageModel from "./AiLanguageModel.ts"
import { originOf, servedBy, type Endpoint } from "./Endpoint.ts"
import type { ModelService } from "./Model.ts"
import * as ProviderEvents from "./ProviderEvents.ts"
import { record, unquoted, type Json } from "./ProviderEvents.ts"

/** The response as far as the provider reads it; the rest echoes the request. */
const trimResponse = (response: Json): Json => ({
  id: response["id"],
  object: "response",
  created_at: response["created_at"],
  status: response["status"],
  model: response["model"],
  usage: response["usage"],
  incomplete_details: response["incomplete_details"] ?? null,
  error: null,
  output: [],
  instructions: null,
  parallel_tool_calls: true,
  tools: [],
  tool_choice: "auto",
  metadata: null,
  temperature: null,
  top_p: null
})

const protocol = {
  schema: OpenAiClient.ResponseStreamEvent,
  trim: (event: Json) =>
    "response" in event ? { ...event, response: trimResponse(record(event["response"])) } : event,
  essential: new Set([
    "response.output_text.delta",
    "response.function_call_arguments.delta",
    "response.completed",
    "response.incomplete"
  ]),
  last: new Set(["response.completed", "response.incomplete", "response.failed", "error"])
}

const unquote = (item: Json): Json =>
  item["type"] === "function_call_output" ? { ...item, output: unquoted(item["output"]) } : item

/** A model behind OpenAI's Responses API. */
export const open = (endpoint: Endpoint): Effect.Effect<ModelService, never, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const http = yield* HttpClient.HttpClient
    const client = yield* Effect.scoped(OpenAiClient.make({}))
    const headers: Record<string, string> =
      endpoint.apiKey === undefined ? {} : { authorization: `Bearer ${Redacted.value(endpoint.apiKey)}` }
    const languageModel = yield* OpenAiLanguageModel.make({
      model: endpoint.model,
      config: { strict: false, ...endpoint.options }
    }).pipe(
      Effect.provideService(OpenAiClient.OpenAiClient, {
        ...client,
        createResponseStream: (request) => {
          const input = Array.isArray(request.input)
            ? request.input.map((item) => unquote(record(item)))
            : request.input
          const body = { ...request, input, stream: true }
          return ProviderEvents.events(http, endpoint, { path: "/responses", headers, body }, protocol)
        }
      })
    )
    const { url, secrets } = originOf(endpoint)
    const served = servedBy("openai", endpoint)
    return AiLanguageModel.make(languageModel, { name: endpoint.model, backend: "openai", url, secrets, served })
  })
