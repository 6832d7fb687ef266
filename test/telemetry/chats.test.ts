import { NodeContext, NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import * as ConfiguredModels from "../../src/model/ConfiguredModels.ts"
import { Models } from "../../src/model/Models.ts"
import { Profile } from "../../src/model/Profile.ts"
import { CompactSession } from "../../src/runtime/Command.ts"
import * as Testing from "../../src/testing.ts"
import * as Claude from "../model/AnthropicFake.ts"
import * as Loopback from "../model/Loopback.ts"
import * as Gpt from "../model/OpenAiFake.ts"
import { collector, received, tracer } from "./collecting.ts"

const key = "a-key-that-looks-like-nothing"

/** What is exported of a task that one of these profiles, the first, works on. */
const exported = (profiles: Readonly<Record<string, object>>, variables: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const server = yield* collector
    const decoded = yield* Schema.decodeUnknown(Schema.Record({ key: Schema.String, value: Profile }))(profiles)
    const models = ConfiguredModels.layer(decoded, "mine", () => Option.some(Redacted.make(key))).pipe(
      Layer.provide([NodeHttpClient.layer, NodeContext.layer])
    )
    const model = yield* Effect.provide(
      Effect.flatMap(Models, ({ get }) => get("mine")),
      models
    )
    const harness = Testing.layer({ model, settings: { spans: true } })
    const run = Effect.flatMap(Testing.session(), (session) => session.run("the prompt"))
    const spans = tracer({ OTEL_EXPORTER_OTLP_ENDPOINT: server.url, ...variables })
    yield* Effect.provide(run, harness.pipe(Layer.provide(spans)))
    const { spans: all, text } = received(server.seen)
    for (const word of [key, "the prompt", "hidden", "mine"]) assert.notInclude(text, word)
    const chat = all.find(({ name }) => name.startsWith("chat "))
    assert.isDefined(chat)
    return { chat, all }
  }).pipe(Effect.orDie)

const chunks = Loopback.stream(
  { id: "cmpl_1", model: "m-2030", choices: [{ delta: { content: "Hello" } }] },
  { choices: [{ delta: {}, finish_reason: "length" }] },
  {
    choices: [],
    usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13, prompt_tokens_details: { cached_tokens: 5 } }
  },
  "[DONE]"
)

const profile = (provider: string, url: string, more: object = {}) => ({
  provider,
  model: "m",
  baseUrl: `${url}/v1?key=hidden`,
  apiKeyVariable: "KEY",
  headers: { "x-team": "hidden" },
  maxAttempts: 1,
  ...more
})

describe("the span of a chat", () => {
  it.scopedLive("says of a streamed answer who gave it, how it was asked and what it took (T11)", () =>
    Effect.gen(function* () {
      const server = yield* Loopback.serve(chunks)
      const options = { max_tokens: 100, temperature: 0.5, user: "hidden" }
      const { chat } = yield* exported({ mine: profile("chat-completions", server.url, { options }) })
      assert.deepInclude(chat, { name: "chat m", kind: 3, parent: "invoke_agent root", status: { code: 0 } })
      const { "gen_ai.conversation.id": conversation, ...attributes } = chat.attributes
      assert.strictEqual(conversation, "session_1")
      assert.deepStrictEqual(attributes, {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "server.address": "127.0.0.1",
        "server.port": server.port,
        "gen_ai.request.model": "m",
        "gen_ai.request.stream": true,
        "gen_ai.request.max_tokens": 100,
        "gen_ai.request.temperature": 0.5,
        "gen_ai.response.model": "m-2030",
        "gen_ai.response.id": "cmpl_1",
        "gen_ai.response.finish_reasons": ["length"],
        "gen_ai.usage.input_tokens": 9,
        "gen_ai.usage.output_tokens": 4,
        "gen_ai.usage.cache_read.input_tokens": 5
      })
    })
  )

  it.scopedLive("names OpenAI and Anthropic, whose cached tokens are part of the input (T11, R10)", () =>
    Effect.gen(function* () {
      const gpt = yield* Loopback.serve(Gpt.responses(Gpt.created, ...Gpt.text("Hello"), Gpt.completed))
      const openai = yield* exported({ mine: profile("openai", gpt.url, { options: { max_output_tokens: 77 } }) })
      assert.deepInclude(openai.chat.attributes, {
        "gen_ai.provider.name": "openai",
        "gen_ai.request.max_tokens": 77,
        "gen_ai.response.model": "gpt-x-2030",
        "gen_ai.response.id": "resp_1",
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.cache_read.input_tokens": 64,
        "gen_ai.usage.reasoning.output_tokens": 5
      })
      const claude = yield* Loopback.serve(Claude.messages(Claude.start, ...Claude.text("Hello"), ...Claude.stop()))
      const anthropic = yield* exported({ mine: profile("anthropic", claude.url) })
      assert.deepInclude(anthropic.chat.attributes, {
        "gen_ai.provider.name": "anthropic",
        "gen_ai.request.max_tokens": 8192,
        "gen_ai.response.model": "claude-x-2030",
        "gen_ai.response.id": "msg_1",
        "gen_ai.usage.input_tokens": 107,
        "gen_ai.usage.output_tokens": 20,
        "gen_ai.usage.cache_read.input_tokens": 64
      })
      const agent = anthropic.all.find(({ name }) => name === "invoke_agent root")
      assert.deepInclude(agent?.attributes, {
        "gen_ai.provider.name": "anthropic",
        "gen_ai.request.model": "m",
        "gen_ai.usage.input_tokens": 107,
        "gen_ai.usage.output_tokens": 20
      })
    })
  )

  it.scopedLive(
    "says of a failure its class alone, and of requests below it neither address nor header (T11, S5)",
    () =>
      Effect.gen(function* () {
        const server = yield* Loopback.serve(Loopback.answer(400, JSON.stringify({ error: { message: "hidden" } })))
        const { all, chat } = yield* exported({ mine: profile("chat-completions", server.url) })
        assert.deepInclude(chat, { status: { code: 2 }, events: [] })
        assert.strictEqual(chat.attributes["error.type"], "ModelRejected")
        assert.notProperty(chat.attributes, "gen_ai.response.finish_reasons")
        const request = all.find(({ parent }) => parent === chat.name)
        assert.deepInclude(request, { name: "http.client POST", kind: 3, attributes: {} })
      })
  )

  it.scopedLive("names the server that answered in the end (T11, R11)", () =>
    Effect.gen(function* () {
      const broken = yield* Loopback.serve(Loopback.answer(503, "{}"))
      const claude = yield* Loopback.serve(Claude.messages(Claude.start, ...Claude.text("Hello"), ...Claude.stop()))
      const { chat } = yield* exported({
        mine: profile("chat-completions", broken.url, { fallback: ["other"] }),
        other: profile("anthropic", claude.url, { model: "c" })
      })
      assert.deepInclude(chat.attributes, {
        "gen_ai.request.model": "m",
        "gen_ai.provider.name": "anthropic",
        "server.port": claude.port,
        "gen_ai.response.model": "claude-x-2030"
      })
    })
  )

  it.scopedLive("is there for the summary of a session as well (T11)", () =>
    Effect.gen(function* () {
      const server = yield* collector
      const harness = Testing.layer({ model: ["Hello", "A summary"], settings: { spans: true } })
      const run = Effect.gen(function* () {
        const session = yield* Testing.session()
        yield* session.run("go")
        yield* session.send(new CompactSession({ session: session.id, task: "summary" }))
        yield* session.awaitEnd("summary")
      })
      const spans = tracer({ OTEL_EXPORTER_OTLP_ENDPOINT: server.url })
      yield* Effect.provide(run, harness.pipe(Layer.provide(spans)))
      assert.deepStrictEqual(
        received(server.seen).spans.map(({ name, parent }) => [name, parent]),
        [
          ["chat scripted", "invoke_agent root"],
          ["invoke_agent root", undefined],
          ["chat scripted", undefined]
        ]
      )
    })
  )
})
