import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AssistantMessage, StoredMessage } from "../../src/conversation/Message.ts"
import * as anthropic from "../../src/model/anthropic.ts"
import type { Endpoint } from "../../src/model/Endpoint.ts"
import type { ModelError } from "../../src/model/ModelError.ts"
import type { ModelPart } from "../../src/model/ModelPart.ts"
import * as openai from "../../src/model/openai.ts"
import * as Claude from "./AnthropicFake.ts"
import { answer, serve, type Handler } from "./Loopback.ts"
import * as Gpt from "./OpenAiFake.ts"
import { at, callsOf, conversation, failureOf, hello, parts, secret, shown, textOf, weather } from "./support.ts"

const providers = [
  {
    name: "openai",
    open: openai.open,
    full: (args: string, name?: string) =>
      Gpt.responses(Gpt.created, ...Gpt.reasoning, ...Gpt.text("Hel", "lo"), ...Gpt.call(args, name), Gpt.completed),
    begin: [Gpt.created, ...Gpt.text("par").slice(0, 2)],
    stream: Gpt.responses,
    write: Gpt.write,
    end: [Gpt.completed],
    error: [["error", { code: "server_error", message: "boom", param: null }] as const],
    path: "/responses",
    usage: { inputTokens: 100, outputTokens: 20, cachedInputTokens: 64, reasoningTokens: 5 }
  },
  {
    name: "anthropic",
    open: anthropic.open,
    full: (args: string, name?: string) =>
      Claude.messages(
        Claude.start,
        ["ping", {}],
        ...Claude.thinking,
        ...Claude.text("Hel", "lo"),
        ...Claude.call(args, name),
        ...Claude.stop("tool_use")
      ),
    begin: [Claude.start, ...Claude.text("par").slice(0, 2)],
    stream: Claude.messages,
    write: Claude.write,
    end: Claude.stop(),
    error: [["error", { error: { type: "overloaded_error", message: "boom" } }] as const],
    path: "/v1/messages",
    usage: { inputTokens: 107, outputTokens: 20, cachedInputTokens: 64, cacheWriteTokens: 7, reasoningTokens: 0 }
  }
] as const

const live = (title: string, test: () => Effect.Effect<void, ModelError, HttpClient.HttpClient | Scope.Scope>) =>
  it.scopedLive(title, () => Effect.provide(test(), NodeHttpClient.layerUndici))

/** The message a runtime would store of an answer. */
const store = (got: ReadonlyArray<ModelPart>): StoredMessage & { readonly message: AssistantMessage } => {
  const calls = got.flatMap((part) =>
    part._tag === "FunctionCalled"
      ? [{ id: part.id, type: "function" as const, function: { name: part.name, arguments: part.arguments } }]
      : []
  )
  return {
    id: "answer",
    message: { role: "assistant", content: textOf(got), tool_calls: calls },
    provider: JSON.parse(JSON.stringify(at(got.at(-1), "provider") ?? null))
  }
}

describe.each(providers)("$name", (provider) => {
  const open = (url: string, options: Partial<Endpoint> = {}) =>
    provider.open({ model: "model-x", baseUrl: url, apiKey: Redacted.make(secret), ...options })
  const ask = (handler: Handler, options: Partial<Endpoint> = {}) =>
    Effect.gen(function* () {
      const server = yield* serve(handler)
      return yield* parts(yield* open(server.url, options))
    })

  const begin: Handler = (exchange) =>
    Effect.zipRight(
      exchange.head(200, { "content-type": "text/event-stream" }),
      provider.write(exchange, provider.begin)
    )

  live("streams text, reasoning, calls and usage, whose input includes the cached tokens (R7)", () =>
    Effect.gen(function* () {
      const server = yield* serve(provider.full('{"city":"Köln"}'))
      const got = yield* parts(yield* open(server.url, { options: { temperature: 0.5 } }))
      assert.strictEqual(textOf(got), "Hello")
      assert.strictEqual(
        at(
          got.find((part) => part._tag === "ReasoningDelta"),
          "text"
        ),
        "think"
      )
      assert.deepStrictEqual(callsOf(got), [["weather", '{"city":"Köln"}']])
      const last = got.at(-1)
      assert.deepStrictEqual([at(last, "reason"), at(last, "usage")], ["tool_calls", provider.usage])
      assert.match(String(at(last, "model")), /-x-2030$/)
      const sent = server.seen[0]
      assert.strictEqual(sent?.path, provider.path)
      assert.deepInclude(sent?.body as object, { model: "model-x", stream: true, temperature: 0.5 })
      const schema = at(sent?.body, "tools", 0, "parameters") ?? at(sent?.body, "tools", 0, "input_schema")
      assert.deepStrictEqual(schema, weather.parameters)
    })
  )

  live("gives reasoning back as it came, to the same model only (R7)", () =>
    Effect.gen(function* () {
      const server = yield* serve(provider.full('{"city":"Rome"}'))
      const model = yield* open(server.url)
      const stored = store(yield* parts(model))
      const id = stored.message.tool_calls?.[0]?.id ?? ""
      const messages = [
        ...hello.messages,
        stored,
        ...conversation({ role: "tool", tool_call_id: id, content: 'no "quotes"' }, { role: "user", content: "so?" })
      ]
      yield* parts(model, { messages, functions: [weather] })
      yield* parts(yield* open(server.url, { model: "model-y" }), { messages, functions: [weather] })
      const [again, elsewhere] = server.seen.slice(1).map(({ body }) => body)
      const input = (at(again, "input") ?? at(again, "messages")) as ReadonlyArray<unknown>
      if (provider.name === "openai") {
        assert.deepStrictEqual(
          input.map((item) => at(item, "type") ?? at(item, "role")),
          ["user", "reasoning", "assistant", "function_call", "function_call_output", "user"]
        )
        assert.deepInclude(input[1] as object, { id: "rs_1", encrypted_content: "ENCRYPTED" })
        assert.deepInclude(input[3] as object, { id: "fc_2", call_id: "call_2", arguments: '{"city":"Rome"}' })
        assert.strictEqual(at(input[4], "output"), 'no "quotes"')
      } else {
        assert.deepStrictEqual(at(input[1], "content"), [
          { type: "thinking", thinking: "think", signature: "SIGNATURE" },
          { type: "text", text: "Hello" },
          { type: "tool_use", id: "toolu_2", name: "weather", input: { city: "Rome" } }
        ])
        assert.strictEqual(at(input[2], "content", 0, "content"), 'no "quotes"')
        assert.strictEqual(at(input[2], "content", 1, "text"), "so?")
      }
      for (const hidden of ["ENCRYPTED", "SIGNATURE", "rs_1"]) assert.notInclude(JSON.stringify(elsewhere), hidden)
    })
  )

  live("sends no half of a character that a result writes as an escape (R7)", () =>
    Effect.gen(function* () {
      const server = yield* serve(provider.full('{"city":"Rome"}'))
      const model = yield* open(server.url)
      const stored = store(yield* parts(model))
      const id = stored.message.tool_calls?.[0]?.id ?? ""
      const cut = conversation({ role: "tool", tool_call_id: id, content: '"cut \\ud83d"' })
      yield* parts(model, { messages: [...hello.messages, stored, ...cut], functions: [weather] })
      const sent = JSON.stringify(server.seen[1]?.body)
      assert.include(sent, "cut \ufffd")
      assert.notMatch(sent, /\\ud83d/)
    })
  )

  live("makes a part of a call that cannot be decoded, in the model's own text (R7)", () =>
    Effect.gen(function* () {
      const given = (args: string, name?: string) => Effect.map(ask(provider.full(args, name)), callsOf)
      assert.deepStrictEqual(yield* given('{"city": '), [["weather", '{"city": ']])
      assert.deepStrictEqual(yield* given("[1]"), [["weather", "[1]"]])
      assert.deepStrictEqual(yield* given('{"a":1}', "nobody_knows"), [["nobody_knows", '{"a":1}']])
      const got = yield* ask(provider.full('{"city": '))
      assert.strictEqual(textOf(got), "Hello")
      assert.deepStrictEqual([got.at(-1)?._tag, at(got.at(-1), "reason")], ["Finished", "tool_calls"])
    })
  )

  live("reports a stream that was reset, or ended without a finish, as cut (R7)", () =>
    Effect.gen(function* () {
      const reset = yield* failureOf(ask((exchange) => Effect.zipRight(begin(exchange), exchange.destroy)))
      assert.strictEqual(reset._tag, "ModelCut")
      const ended = yield* failureOf(ask((exchange) => Effect.zipRight(begin(exchange), exchange.end())))
      assert.strictEqual(ended._tag, "ModelCut")
    })
  )

  live("fails on an error event, on frames that are no JSON, and passes over events it does not know (R7)", () =>
    Effect.gen(function* () {
      const failed = yield* failureOf(ask(provider.stream(...provider.begin, ...provider.error)))
      assert.isTrue(failed._tag === "ModelOverloaded" && failed.reason === "boom")
      const broken = yield* failureOf(
        ask((exchange) =>
          exchange
            .head(200, { "content-type": "text/event-stream" })
            .pipe(
              Effect.zipRight(provider.write(exchange, provider.begin)),
              Effect.zipRight(exchange.write("data: {oops\n\n"))
            )
        )
      )
      assert.strictEqual(broken._tag, "ModelMalformed")
      const got = yield* ask(provider.stream(...provider.begin, ["brand_new.event", { x: 1 }], ...provider.end))
      assert.strictEqual(textOf(got), "par")
    })
  )

  live("aborts the request when the stream is interrupted, as the server observes (R7)", () =>
    Effect.gen(function* () {
      const server = yield* serve((exchange) =>
        exchange
          .head(200, { "content-type": "text/event-stream" })
          .pipe(Effect.zipRight(provider.write(exchange, provider.begin)), Effect.zipRight(Effect.never))
      )
      const model = yield* open(server.url)
      const begun = yield* Deferred.make<void>()
      const fiber = yield* Effect.fork(Stream.runForEach(model.stream(hello), () => Deferred.succeed(begun, undefined)))
      const exchange = yield* server.next
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      assert.isTrue(yield* exchange.aborted)
    })
  )

  live("gives up on a silent server and makes typed failures of statuses, without the key (R7, S5)", () =>
    Effect.gen(function* () {
      const silent = yield* failureOf(ask(() => Effect.never, { silenceTimeout: "50 millis" }))
      assert.strictEqual(silent._tag, "ModelSilent")
      const status = (code: number, headers = {}) =>
        failureOf(
          ask(
            answer(code, `{"error":{"type":"e","message":"no, ${secret}"}}`, {
              "content-type": "application/json",
              ...headers
            })
          )
        )
      const limited = yield* status(429, { "retry-after": "7" })
      assert.isTrue(limited._tag === "ModelOverloaded" && limited.retryAfterMillis === 7000)
      const refused = yield* status(401)
      assert.isTrue(refused._tag === "ModelUnauthorized" && refused.reason === "no, <redacted>")
      for (const error of [silent, limited, refused]) assert.notInclude(shown(error), secret)
    })
  )
})

describe("openai", () => {
  live("takes a failed response for a failure, not for a stop (R7)", () =>
    Effect.gen(function* () {
      const failed = Gpt.response("failed", { error: { code: "server_error", message: "boom" } })
      const server = yield* serve(Gpt.responses(Gpt.created, ["response.failed", { response: failed }]))
      const model = yield* openai.open({ model: "gpt-x", baseUrl: server.url })
      const error = yield* failureOf(parts(model))
      assert.isTrue(error._tag === "ModelOverloaded" && error.reason === "boom")
    })
  )
})

describe("anthropic", () => {
  live("understands stop reasons that are newer than its provider (R7)", () =>
    Effect.gen(function* () {
      const server = yield* serve(
        Claude.messages(Claude.start, ...Claude.text("long"), ...Claude.stop("model_context_window_exceeded"))
      )
      const model = yield* anthropic.open({ model: "claude-x", baseUrl: server.url })
      assert.strictEqual(at((yield* parts(model)).at(-1), "reason"), "length")
    })
  )
})
