import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { gzipSync } from "node:zlib"
import * as ChatCompletions from "../../src/model/ChatCompletions.ts"
import type { ModelError } from "../../src/model/ModelError.ts"
import { retried } from "../../src/model/RetryPolicy.ts"
import { selfSigned } from "../corpus/selfSigned.ts"
import { answer, event, serve, stream, type Handler } from "./Loopback.ts"
import { at, callsOf, conversation, failureOf, hello, parts, secret, shown, textOf, weather } from "./support.ts"

const open = (url: string, options: Partial<ChatCompletions.ChatEndpoint> = {}) =>
  ChatCompletions.make({ baseUrl: `${url}/v1`, model: "fake", apiKey: Redacted.make(secret), ...options })

const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: "cc-1",
  model: "fake-1",
  choices: [{ index: 0, delta, finish_reason }]
})
const call = (index: number | undefined, fields: object, id?: string) => ({
  tool_calls: [{ ...(index === undefined ? {} : { index }), ...(id === undefined ? {} : { id }), function: fields }]
})
const usage = {
  id: "cc-1",
  choices: [],
  usage: {
    prompt_tokens: 100,
    completion_tokens: 20,
    total_tokens: 120,
    prompt_tokens_details: { cached_tokens: 64 },
    completion_tokens_details: { reasoning_tokens: 5 }
  }
}

const ask = (handler: Handler, options: Partial<ChatCompletions.ChatEndpoint> = {}) =>
  Effect.gen(function* () {
    const server = yield* serve(handler)
    return yield* parts(yield* open(server.url, options))
  })

const begin: Handler = (exchange) =>
  Effect.zipRight(
    exchange.head(200, { "content-type": "text/event-stream" }),
    exchange.write(event(chunk({ content: "par" })))
  )

const failure = (status: number, body: string, headers?: Record<string, string>) =>
  failureOf(ask(answer(status, body, { "content-type": "application/json", ...headers })))

const endless =
  (status: number, type: string): Handler =>
  (exchange) =>
    exchange
      .head(status, { "content-type": type })
      .pipe(
        Effect.zipRight(exchange.write(type === "application/json" ? '{"error":"' : "data: ")),
        Effect.zipRight(Effect.forever(exchange.write("x".repeat(256 * 1024))))
      )

const echo: Handler = (exchange) =>
  answer(
    exchange.number % 2 === 0 ? 401 : 500,
    JSON.stringify({ error: { message: JSON.stringify(exchange.headers) } })
  )(exchange)

const live = (title: string, test: () => Effect.Effect<void, ModelError, HttpClient.HttpClient | Scope.Scope>) =>
  it.scopedLive(title, () => Effect.provide(test(), NodeHttpClient.layerUndici))

const clients = [
  ["node:http", NodeHttpClient.layer],
  ["undici", NodeHttpClient.layerUndici]
] as const

describe.each(clients)("ChatCompletions over %s", (_, client) => {
  const live = (title: string, test: () => Effect.Effect<void, ModelError, HttpClient.HttpClient | Scope.Scope>) =>
    it.scopedLive(title, () => Effect.provide(test(), client))

  live("puts frames and characters together however the network cut them (R7)", () =>
    Effect.gen(function* () {
      const bytes = new TextEncoder().encode(
        `: a comment\r\n\r\n${[
          chunk({ role: "assistant", content: "" }),
          chunk({ reasoning_content: "Hmm …" }),
          chunk({ content: "Grüße 🌍" }),
          chunk(call(0, { name: "weather", arguments: "" }, "call_a")),
          chunk(call(0, { arguments: '{"city":' })),
          chunk(call(0, { arguments: '"Köln"}' })),
          chunk(call(1, { name: "weather", arguments: '{"city":"Rom"}' }, "call_b")),
          chunk({}, "tool_calls"),
          usage,
          "[DONE]"
        ]
          .map((data) => event(data).replaceAll("\n", "\r\n"))
          .join("")}`
      )
      const got = yield* ask((exchange) =>
        Effect.gen(function* () {
          yield* exchange.head(200, { "content-type": "text/event-stream; charset=utf-8" })
          for (let i = 0; i < bytes.length; i += 13) yield* exchange.write(bytes.subarray(i, i + 13))
          yield* exchange.end()
        })
      )
      assert.strictEqual(textOf(got), "Grüße 🌍")
      assert.deepStrictEqual(callsOf(got), [
        ["weather", '{"city":"Köln"}'],
        ["weather", '{"city":"Rom"}']
      ])
      assert.deepStrictEqual(got.at(-1), {
        _tag: "Finished",
        reason: "tool_calls",
        usage: { inputTokens: 100, outputTokens: 20, cachedInputTokens: 64, reasoningTokens: 5 },
        model: "fake-1",
        responseId: "cc-1"
      })
    })
  )

  live("aborts the request when the stream is interrupted, as the server observes (R7)", () =>
    Effect.gen(function* () {
      const server = yield* serve((exchange) =>
        Effect.gen(function* () {
          yield* exchange.head(200, { "content-type": "text/event-stream" })
          yield* exchange.write(event(chunk({ content: "par" })))
          yield* Effect.never
        })
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

  live("aborts the request when it is interrupted before the headers came (R7)", () =>
    Effect.gen(function* () {
      const server = yield* serve(() => Effect.never)
      const fiber = yield* Effect.fork(parts(yield* open(server.url)))
      const exchange = yield* server.next
      yield* Fiber.interrupt(fiber)
      assert.isTrue(yield* exchange.aborted)
    })
  )

  live("reports a stream that was reset or ended without an end as cut (R7)", () =>
    Effect.gen(function* () {
      const reset = yield* failureOf(ask((exchange) => Effect.zipRight(begin(exchange), exchange.destroy)))
      assert.strictEqual(reset._tag, "ModelCut")
      const ended = yield* failureOf(ask((exchange) => Effect.zipRight(begin(exchange), exchange.end())))
      assert.strictEqual(ended._tag, "ModelCut")
      const halved = yield* failureOf(
        ask((exchange) => Effect.zipRight(begin(exchange), exchange.end('data: {"choices":[{"delta":{"cont')))
      )
      assert.strictEqual(halved._tag, "ModelCut")
    })
  )

  live("gives up on silence before the headers and in the body, and aborts (R7)", () =>
    Effect.gen(function* () {
      const mute = yield* serve(() => Effect.never)
      const noHeaders = yield* failureOf(parts(yield* open(mute.url, { silenceTimeout: "50 millis" })))
      assert.strictEqual(noHeaders._tag, "ModelSilent")
      assert.isTrue(yield* Effect.flatMap(mute.next, ({ aborted }) => aborted))
      const stuck = yield* serve((exchange) =>
        Effect.zipRight(exchange.head(200, { "content-type": "text/event-stream" }), Effect.never)
      )
      const noBody = yield* failureOf(parts(yield* open(stuck.url, { silenceTimeout: "50 millis" })))
      assert.strictEqual(noBody._tag, "ModelSilent")
      assert.isTrue(yield* Effect.flatMap(stuck.next, ({ aborted }) => aborted))
    })
  )

  live("says that a server refuses connections (R7)", () =>
    Effect.gen(function* () {
      const url = yield* Effect.scoped(
        Effect.map(
          serve(() => Effect.void),
          (server) => server.url
        )
      )
      const error = yield* failureOf(parts(yield* open(url)))
      assert.strictEqual(error._tag, "ModelUnreachable")
      assert.include(error.message, "ECONNREFUSED")
      assert.include(error.message, url)
    })
  )
})

describe("ChatCompletions", () => {
  live("separates calls whose server repeats the index, sends objects or no ids (R7)", () =>
    Effect.gen(function* () {
      const got = yield* ask(
        stream(
          chunk(call(0, { name: "weather", arguments: '{"city":"A"}' }, "c1")),
          chunk(call(0, { name: "weather", arguments: '{"city":"B"}' }, "c2")),
          chunk(call(undefined, { name: "weather", arguments: { city: "C" } })),
          chunk(call(undefined, { name: "weather", arguments: { city: "D" } })),
          chunk(call(0, { name: "weather", arguments: '{"city":"E"}' }, "c2")),
          chunk({}, "stop"),
          "[DONE]"
        )
      )
      assert.deepStrictEqual(
        callsOf(got).map(([, text]) => text),
        ["A", "B", "C", "D", "E"].map((city) => JSON.stringify({ city }))
      )
      const ids = got.flatMap((part) => (part._tag === "FunctionCalled" ? [part.id] : []))
      assert.strictEqual(new Set(ids).size, 5)
      const last = got.at(-1)
      assert.isTrue(last?._tag === "Finished" && last.reason === "tool_calls")
    })
  )

  live("continues interleaved parallel calls by their index, whatever else fragments repeat (R7)", () =>
    Effect.gen(function* () {
      const got = yield* ask(
        stream(
          chunk(call(1, { name: "b", arguments: "" }, "two")),
          chunk(call(0, { name: "a", arguments: "" }, "one")),
          chunk(call(1, { arguments: '{"y":' })),
          chunk(call(0, { name: "a", arguments: '{"x":' }, "one")),
          chunk(call(0, { name: null, arguments: "1}" }, "")),
          chunk(call(1, { name: "", arguments: "2}" })),
          chunk(call(2, { name: "c", arguments: "{" })),
          chunk(call(2, { name: "c", arguments: "}" })),
          chunk({}, "tool_calls"),
          "[DONE]"
        )
      )
      assert.deepStrictEqual(callsOf(got), [
        ["b", '{"y":2}'],
        ["a", '{"x":1}'],
        ["c", "{}"]
      ])
    })
  )

  live("passes broken arguments on as text, and missing ones as an empty object (R7)", () =>
    Effect.gen(function* () {
      const got = yield* ask(
        stream(
          chunk(call(0, { name: "weather", arguments: '{"city": ' }, "c1")),
          chunk(call(1, { name: "nobody_knows", arguments: "" }, "c2")),
          chunk({}, "tool_calls"),
          "[DONE]"
        )
      )
      assert.deepStrictEqual(callsOf(got), [
        ["weather", '{"city": '],
        ["nobody_knows", "{}"]
      ])
    })
  )

  live("does not give a call that was cut off before its arguments (R7)", () =>
    Effect.gen(function* () {
      const got = yield* ask(stream(chunk(call(0, { name: "weather" }, "c1")), chunk({}, "length"), "[DONE]"))
      assert.deepStrictEqual(callsOf(got), [])
      assert.strictEqual(at(got.at(-1), "reason"), "length")
    })
  )

  live("takes usage that comes after the finish, and either of finish and [DONE] for the end (R7)", () =>
    Effect.gen(function* () {
      const late = yield* ask(stream(chunk({ content: "a" }, "stop"), chunk({}), usage, "[DONE]"))
      assert.strictEqual(at(late.at(-1), "usage", "inputTokens"), 100)
      const noDone = yield* ask(stream(chunk({ content: "a" }, "length"), usage))
      assert.deepStrictEqual([at(noDone.at(-1), "reason"), at(noDone.at(-1), "usage", "outputTokens")], ["length", 20])
      const onlyDone = yield* ask(stream(chunk({ content: "a" }), "[DONE]"))
      assert.strictEqual(at(onlyDone.at(-1), "reason"), "other")
    })
  )

  live("counts an answer as finished whose connection broke after its finish_reason (R7)", () =>
    Effect.gen(function* () {
      const got = yield* ask((exchange) =>
        exchange
          .head(200, { "content-type": "text/event-stream" })
          .pipe(
            Effect.zipRight(exchange.write(event(chunk({ content: "all" }, "stop")))),
            Effect.zipRight(exchange.destroy)
          )
      )
      assert.strictEqual(textOf(got), "all")
    })
  )

  live("does not wait for a server that keeps the connection open after [DONE] (R7)", () =>
    Effect.gen(function* () {
      const server = yield* serve((exchange) =>
        exchange
          .head(200, { "content-type": "text/event-stream" })
          .pipe(
            Effect.zipRight(
              exchange.write(
                event(chunk({ content: "all" }, "stop")) + event("[DONE]") + event(chunk({ content: "!" }))
              )
            ),
            Effect.zipRight(Effect.never)
          )
      )
      assert.strictEqual(textOf(yield* parts(yield* open(server.url))), "all")
      assert.isTrue(yield* Effect.flatMap(server.next, ({ aborted }) => aborted))
    })
  )

  live("reads answers to their end, so that connections are used again (R7)", () =>
    Effect.gen(function* () {
      const server = yield* serve(stream(chunk({ content: "a" }, "stop"), "[DONE]"))
      const model = yield* open(server.url)
      yield* Effect.repeatN(parts(model), 5)
      assert.isAtMost(new Set(server.seen.map(({ port }) => port)).size, 2)
    })
  )

  live("accepts a server that ignores stream and answers in one piece, as one delta (R7)", () =>
    Effect.gen(function* () {
      const whole = {
        id: "cc-2",
        model: "fake-2",
        choices: [
          {
            message: {
              role: "assistant",
              content: "All at once",
              reasoning: "hm",
              tool_calls: [{ id: "c1", type: "function", function: { name: "weather", arguments: "{}" } }]
            },
            finish_reason: "tool_calls"
          }
        ],
        usage: usage.usage
      }
      const got = yield* ask(answer(200, JSON.stringify(whole)))
      assert.deepStrictEqual(
        got.map((part) => part._tag),
        ["ReasoningDelta", "TextDelta", "ArgumentsDelta", "FunctionCalled", "Finished"]
      )
      assert.strictEqual(at(got.at(-1), "usage", "inputTokens"), 100)
    })
  )

  live("understands reasoning under both names, refusals and content in parts (R7)", () =>
    Effect.gen(function* () {
      const got = yield* ask(
        stream(
          chunk({ reasoning_content: "one " }),
          chunk({ reasoning: "two", content: null }),
          chunk({ content: [{ type: "text", text: "no: " }] }),
          chunk({ refusal: "I must not" }, "content_filter"),
          "[DONE]"
        )
      )
      assert.strictEqual(textOf(got), "no: I must not")
      const thought = got.map((part) => (part._tag === "ReasoningDelta" ? part.text : "")).join("")
      assert.strictEqual(thought, "one two")
      assert.strictEqual(at(got.at(-1), "reason"), "content_filter")
    })
  )

  live("adds reasoning to the output where a server counts it beside (R7)", () =>
    Effect.gen(function* () {
      const beside = {
        choices: [],
        usage: {
          prompt_tokens: 10,
          completion_tokens: 20,
          total_tokens: 37,
          completion_tokens_details: { reasoning_tokens: 7 }
        }
      }
      const got = yield* ask(stream(chunk({ content: "a" }, "stop"), beside, "[DONE]"))
      assert.deepStrictEqual(at(got.at(-1), "usage"), {
        inputTokens: 10,
        outputTokens: 27,
        cachedInputTokens: 0,
        reasoningTokens: 7
      })
    })
  )

  live("makes typed failures of statuses, with the server's own reason and Retry-After (R7)", () =>
    Effect.gen(function* () {
      const busy = yield* failure(429, '{"error":{"message":"slow down"}}', { "retry-after": "7" })
      assert.isTrue(busy._tag === "ModelOverloaded" && busy.retryAfterMillis === 7000 && busy.reason === "slow down")
      const precise = yield* failure(503, "", { "retry-after-ms": "150", "retry-after": "1" })
      assert.isTrue(precise._tag === "ModelOverloaded" && precise.retryAfterMillis === 150)
      const dated = yield* failure(503, "", { "retry-after": "Fri, 31 Dec 2100 23:59:59 GMT" })
      assert.isTrue(dated._tag === "ModelOverloaded" && (dated.retryAfterMillis ?? 0) > 1e12)
      const poor = yield* failure(429, '{"error":{"message":"pay","code":"insufficient_quota"}}')
      assert.isTrue(poor._tag === "ModelUnauthorized" && !poor.retryable)
      assert.strictEqual((yield* failure(401, '{"error":"no"}'))._tag, "ModelUnauthorized")
      const missing = yield* failure(404, '{"detail":"model not found"}')
      assert.isTrue(missing._tag === "ModelRejected" && missing.reason === "model not found")
      const page = yield* failure(502, "<html><title>Bad\u001b[31m\n Gateway</title><h1>x</h1></html>")
      assert.isTrue(page._tag === "ModelOverloaded" && page.reason === "Bad␛[31m Gateway")
    })
  )

  live("makes typed failures of error frames and of an error in an answer of status 200 (R7)", () =>
    Effect.gen(function* () {
      const frame = (error: unknown) => failureOf(ask(stream(chunk({ content: "par" }), { error })))
      const upstream = yield* frame({ code: 502, message: "upstream died" })
      assert.isTrue(upstream._tag === "ModelOverloaded" && upstream.reason === "upstream died")
      assert.strictEqual((yield* frame({ type: "overloaded_error", message: "busy" }))._tag, "ModelOverloaded")
      assert.strictEqual((yield* frame("no such model"))._tag, "ModelRejected")
      const inside = yield* failureOf(ask(answer(200, '{"error":"model not loaded"}')))
      assert.isTrue(inside._tag === "ModelRejected" && inside.reason === "model not loaded")
      const choice = { choices: [{ delta: {}, finish_reason: "error", error: { code: 429, message: "limited" } }] }
      assert.strictEqual((yield* failureOf(ask(stream(choice))))._tag, "ModelOverloaded")
    })
  )

  live("names where a redirect leads, and sends nothing there: no key, no conversation (R14, S5)", () =>
    Effect.gen(function* () {
      const other = yield* serve(stream("[DONE]"))
      for (const [status, to, said] of [
        [301, `${other.url}/v2/chat/completions?key=${secret}`, `set the profile's baseUrl to ${other.url}/v2.`],
        [302, "/login", "/login; nothing was sent there. Check the profile's baseUrl."],
        [307, `${other.url}/v1/chat/completions`, `redirects to ${other.url}/v1/chat/completions;`],
        [308, "/v1/chat/completions", "/v1/chat/completions; nothing was sent there"],
        [303, undefined, "a redirect without a target"],
        [300, "http://[", "a redirect without a target"]
      ] as const) {
        const server = yield* serve(answer(status, "", to === undefined ? {} : { location: to }))
        const error = yield* failureOf(parts(yield* open(server.url)))
        assert.deepInclude(error, { _tag: "ModelRejected", status, retryable: false })
        assert.include(error.message, said)
        assert.notInclude(shown(error), secret)
        assert.strictEqual(server.seen.length, 1)
      }
      assert.strictEqual(other.seen.length, 0)
    })
  )

  live("calls an answer in one piece cut that ends in its middle, and one cut off by its length (R14)", () =>
    Effect.gen(function* () {
      const whole = JSON.stringify({ choices: [{ message: { content: "All" }, finish_reason: "stop" }] })
      const half = whole.slice(0, 30)
      assert.strictEqual((yield* failureOf(ask(answer(200, half))))._tag, "ModelCut")
      const short = yield* failureOf(
        ask((exchange) =>
          exchange
            .head(200, { "content-type": "application/json", "content-length": String(whole.length) })
            .pipe(Effect.zipRight(exchange.write(half)), Effect.zipRight(exchange.destroy))
        )
      )
      assert.strictEqual(short._tag, "ModelCut")
      assert.include(short.message, "was cut off")
    })
  )

  live("unpacks nothing: a packed answer is called one, and read no further (R14)", () =>
    Effect.gen(function* () {
      const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, " "))
      for (const type of ["text/event-stream", "application/json"]) {
        const server = yield* serve((exchange) =>
          exchange
            .head(200, { "content-type": type, "content-encoding": "gzip" })
            .pipe(Effect.zipRight(exchange.write(bomb)), Effect.zipRight(exchange.end()))
        )
        const error = yield* failureOf(parts(yield* open(server.url)))
        assert.deepInclude(error, { _tag: "ModelMalformed", retryable: false })
        assert.include(error.message, "an answer with unrequested encoding gzip")
        assert.strictEqual(server.seen[0]?.headers["accept-encoding"], "identity")
      }
    })
  )

  live("says once that a certificate is refused, and asks no more (R14)", () =>
    Effect.gen(function* () {
      const server = yield* serve(stream("[DONE]"), selfSigned("localhost"))
      let failed = 0
      const model = retried({ initialDelay: "1 millis" })(yield* open(server.url))
      const counted = Stream.tap(model.stream(hello), ({ _tag }) =>
        Effect.sync(() => (failed += _tag === "AttemptFailed" ? 1 : 0))
      )
      const error = yield* failureOf(Stream.runDrain(counted))
      assert.deepInclude(error, { _tag: "ModelUnreachable", certificate: true, retryable: false })
      assert.match(error.message, /self-signed certificate/)
      assert.deepStrictEqual([failed, server.seen.length], [0, 0])
    })
  )

  live("calls malformed what is not its protocol: a page, a frame without JSON (R7)", () =>
    Effect.gen(function* () {
      const page = yield* failureOf(
        ask(answer(200, "<!doctype html><h1>Sign in</h1>", { "content-type": "text/html" }))
      )
      assert.isTrue(page._tag === "ModelMalformed" && page.reason.includes("text/html: Sign in"))
      assert.strictEqual((yield* failureOf(ask(stream(chunk({ content: "a" }), "{oops"))))._tag, "ModelMalformed")
    })
  )

  live("is bounded: an endless frame, page or error body ends in a short typed failure (R7)", () =>
    Effect.gen(function* () {
      for (const [status, type, tag] of [
        [200, "text/event-stream", "ModelMalformed"],
        [200, "application/json", "ModelMalformed"],
        [200, "text/html", "ModelMalformed"],
        [400, "application/json", "ModelRejected"]
      ] as const) {
        const server = yield* serve(endless(status, type))
        const error = yield* failureOf(parts(yield* open(server.url)))
        assert.strictEqual(error._tag, tag)
        assert.isBelow(error.message.length, 600)
        assert.isTrue(yield* Effect.flatMap(server.next, ({ aborted }) => aborted))
      }
    })
  )

  live("is bounded: a message that does not end is refused (R7)", () =>
    Effect.gen(function* () {
      const frame = event(chunk({ content: "x".repeat(1024 * 1024) }))
      const error = yield* failureOf(
        ask((exchange) =>
          Effect.zipRight(
            exchange.head(200, { "content-type": "text/event-stream" }),
            Effect.forever(exchange.write(frame))
          )
        )
      )
      assert.isTrue(error._tag === "ModelMalformed" && error.reason.includes("more than 16777216 characters"))
    })
  )

  live("stays linear: 200,000 deltas of one byte arrive whole and joined by the reads they came with (R7)", () =>
    Effect.gen(function* () {
      const burst = event(chunk({ content: "a" })).repeat(1000)
      const got = yield* ask((exchange) =>
        exchange
          .head(200, { "content-type": "text/event-stream" })
          .pipe(
            Effect.zipRight(Effect.repeatN(exchange.write(burst), 199)),
            Effect.zipRight(exchange.end(event(chunk({}, "stop")) + event("[DONE]")))
          )
      )
      assert.strictEqual(textOf(got), "a".repeat(200_000))
      assert.isBelow(got.length, 20_000)
    })
  )

  live("shows the key in no error, even where the server repeats it (R7, S5)", () =>
    Effect.gen(function* () {
      const header = "another-secret-value"
      const server = yield* serve(echo)
      const model = yield* open(server.url.replace("http://", "http://user:hidden-password@") + "?key=hidden-query", {
        headers: { "x-custom": header }
      })
      const errors = [yield* failureOf(parts(model)), yield* failureOf(parts(model))]
      assert.strictEqual(server.seen[0]?.headers["authorization"], `Bearer ${secret}`)
      errors.push(
        yield* failureOf(ask(stream({ error: { message: `bad key ${secret}` } }), { headers: { "x-custom": header } }))
      )
      for (const error of errors) {
        for (const hidden of [secret, header, "hidden-password", "hidden-query"])
          assert.notInclude(shown(error), hidden)
      }
    })
  )

  live("sends the conversation, the tools, custom headers and further options (R7)", () =>
    Effect.gen(function* () {
      const server = yield* serve(stream(chunk({ content: "ok" }, "stop"), "[DONE]"))
      const model = yield* open(server.url, {
        headers: { "x-title": "tollgate" },
        options: { temperature: 0.5, stream_options: null },
        reasoningField: "reasoning_content"
      })
      const messages = conversation(
        { role: "system", content: "be brief" },
        { role: "user", content: "hello" },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "c1", type: "function", function: { name: "weather", arguments: '{"city":"Rome"}' } },
            { id: "c2", type: "function", function: { name: "weather", arguments: '{"city' } }
          ]
        },
        { role: "tool", tool_call_id: "c1", content: "sunny" }
      ).map((stored) => (stored.message.role === "assistant" ? { ...stored, reasoning: "look it up" } : stored))
      yield* parts(model, { messages, functions: [weather] })
      const sent = server.seen[0]
      assert.strictEqual(sent?.path, "/v1/chat/completions")
      assert.strictEqual(sent?.headers["x-title"], "tollgate")
      assert.deepInclude(sent?.body as object, { model: "fake", stream: true, temperature: 0.5, stream_options: null })
      assert.deepStrictEqual(at(sent?.body, "tools"), [{ type: "function", function: weather }])
      assert.deepStrictEqual(at(sent?.body, "messages", 1), { role: "user", content: "hello" })
      assert.deepStrictEqual(at(sent?.body, "messages", 3), { role: "tool", tool_call_id: "c1", content: "sunny" })
      assert.strictEqual(at(sent?.body, "messages", 2, "reasoning_content"), "look it up")
      const sentCalls = [0, 1].map((n) => at(sent?.body, "messages", 2, "tool_calls", n, "function", "arguments"))
      assert.deepStrictEqual(sentCalls, ['{"city":"Rome"}', JSON.stringify({ unparsed: '{"city' })])
    })
  )

  live("sends no authorization and no tools where there are none (R7)", () =>
    Effect.gen(function* () {
      const server = yield* serve(stream(chunk({ content: "ok" }, "stop"), "[DONE]"))
      const model = yield* open(`${server.url}/`, { apiKey: undefined })
      yield* parts(model, { messages: hello.messages, functions: [] })
      assert.notProperty(server.seen[0]?.headers, "authorization")
      assert.notProperty(server.seen[0]?.body, "tools")
    })
  )
})
