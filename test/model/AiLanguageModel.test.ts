import * as AiError from "@effect/ai/AiError"
import * as LanguageModel from "@effect/ai/LanguageModel"
import type * as Response from "@effect/ai/Response"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as AiLanguageModel from "../../src/model/AiLanguageModel.ts"
import { Model, type FunctionDefinition } from "../../src/model/Model.ts"
import { at, callsOf, conversation, failureOf, hello, parts, secret, shown, textOf, weather } from "./support.ts"

type Parts = Stream.Stream<Response.StreamPartEncoded, AiError.AiError>

/** A LanguageModel that streams this, and the options it was last asked with. */
const fake = (stream: Parts) =>
  Effect.gen(function* () {
    const asked: Array<LanguageModel.ProviderOptions> = []
    const languageModel = yield* LanguageModel.make({
      generateText: () => Effect.succeed([]),
      streamText: (options) => {
        asked.push({ ...options })
        return Stream.rechunk(stream, 1)
      }
    })
    return { languageModel, asked }
  })

const ask = (stream: Parts, functions: ReadonlyArray<FunctionDefinition> = hello.functions) =>
  Effect.gen(function* () {
    const { languageModel } = yield* fake(stream)
    const model = AiLanguageModel.make(languageModel, { name: "any", secrets: [Redacted.make(secret)] })
    return yield* parts(model, { ...hello, functions })
  })

const usage = { inputTokens: 10, outputTokens: 4, totalTokens: 14, cachedInputTokens: 6, reasoningTokens: 1 }
const said: ReadonlyArray<Response.StreamPartEncoded> = [
  { type: "text-start", id: "t" },
  { type: "text-delta", id: "t", delta: "Hi" },
  { type: "text-end", id: "t" }
]
const finish: Response.StreamPartEncoded = { type: "finish", reason: "stop", usage }
const begun = (
  id: string,
  name: string,
  ...deltas: ReadonlyArray<string>
): ReadonlyArray<Response.StreamPartEncoded> => [
  { type: "tool-params-start", id, name },
  ...deltas.map((delta) => ({ type: "tool-params-delta", id, delta }) as const)
]
const request = {
  method: "POST",
  url: "http://127.0.0.1/v1",
  urlParams: [],
  hash: Option.none(),
  headers: { authorization: `Bearer ${secret}` }
} as const
const origin = { module: "Fake", method: "stream" }

describe("AiLanguageModel", () => {
  it.effect("publishes the tools' JSON Schemas as they are, from request to request (R7)", () =>
    Effect.gen(function* () {
      const parameters = {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: { path: { type: "string", minLength: 1 }, options: { $ref: "#/$defs/Options" } },
        required: ["path"],
        additionalProperties: false,
        $defs: { Options: { type: "object" } }
      }
      const { languageModel, asked } = yield* fake(Stream.fromIterable([...said, finish]))
      const { Tool } = yield* Effect.promise(() => import("@effect/ai"))
      const model = AiLanguageModel.make(languageModel, { name: "any" })
      const published = (functions: ReadonlyArray<FunctionDefinition>) =>
        Effect.map(parts(model, { ...hello, functions }), () =>
          (asked.at(-1)?.tools ?? []).map((tool) =>
            Tool.getJsonSchema(tool as Parameters<typeof Tool.getJsonSchema>[0])
          )
        )
      assert.deepStrictEqual(yield* published([{ name: "read", description: "", parameters }]), [parameters] as never)
      assert.deepStrictEqual(yield* published([{ name: "x", description: "", parameters: {} }]), [
        { type: "object", properties: {} }
      ] as never)
      assert.deepStrictEqual(yield* published([]), [])
    })
  )

  it.effect("fails where the stream has no finish, an error part or an error for its reason (R7)", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* failureOf(ask(Stream.fromIterable(said))))._tag, "ModelCut")
      const error = { type: "error", error: { type: "overloaded_error", message: "busy" } } as const
      const failed = yield* failureOf(ask(Stream.fromIterable([...said, error, finish])))
      assert.isTrue(failed._tag === "ModelOverloaded" && failed.reason === "busy")
      const stopped = yield* failureOf(ask(Stream.fromIterable([...said, { ...finish, reason: "error" }])))
      assert.strictEqual(stopped._tag, "ModelRejected")
    })
  )

  it.effect("gives the calls it can decode, then the ones it cannot as the model wrote them (R7)", () =>
    Effect.gen(function* () {
      const got = yield* ask(
        Stream.fromIterable([
          ...begun("c1", "weather", '{"city":', ' "Rome"}'),
          { type: "tool-call", id: "c1", name: "weather", params: { city: "Rome" } },
          ...begun("c2", "nobody_knows", '{"a":1}'),
          { type: "tool-call", id: "c2", name: "nobody_knows", params: { a: 1 } },
          finish
        ])
      )
      assert.deepStrictEqual(callsOf(got), [
        ["weather", '{"city": "Rome"}'],
        ["nobody_knows", '{"a":1}']
      ])
      assert.strictEqual(at(got.at(-1), "reason"), "tool_calls")
    })
  )

  it.effect("does not take a stream that broke for another reason for a broken call (R7)", () =>
    Effect.gen(function* () {
      const broken = Stream.concat(
        Stream.fromIterable(begun("c1", "weather", '{"city":"Rome"}')),
        Stream.fail(new AiError.MalformedOutput({ ...origin, description: "some other frame" }))
      )
      assert.strictEqual((yield* failureOf(ask(broken)))._tag, "ModelMalformed")
    })
  )

  it.effect("gives a call that was cut off as far as it came, unless it has no arguments yet (R7)", () =>
    Effect.gen(function* () {
      const cut = yield* ask(
        Stream.fromIterable([
          ...begun("c1", "weather", '{"city'),
          ...begun("c2", "weather"),
          { ...finish, reason: "length" }
        ])
      )
      assert.deepStrictEqual(callsOf(cut), [["weather", '{"city']])
      assert.strictEqual(at(cut.at(-1), "reason"), "length")
    })
  )

  it.effect("makes its own failures of the provider's, which hold the key (R7, S5)", () =>
    Effect.gen(function* () {
      const response = { status: 503, headers: { "retry-after": "3", "set-cookie": secret } }
      const errors: ReadonlyArray<readonly [AiError.AiError, string]> = [
        [
          new AiError.HttpRequestError({ ...origin, request, reason: "Transport", cause: new Error("refused") }),
          "ModelUnreachable"
        ],
        [new AiError.HttpRequestError({ ...origin, request, reason: "Encode" }), "ModelRejected"],
        [
          new AiError.HttpResponseError({
            ...origin,
            request,
            response,
            reason: "StatusCode",
            body: `{"error":"${secret}"}`
          }),
          "ModelOverloaded"
        ],
        [new AiError.HttpResponseError({ ...origin, request, response, reason: "Decode" }), "ModelCut"],
        [new AiError.MalformedInput({ ...origin, description: secret }), "ModelRejected"],
        [new AiError.MalformedOutput({ ...origin, description: secret, cause: { request } }), "ModelMalformed"],
        [new AiError.UnknownError({ ...origin, description: secret, cause: { request } }), "ModelRejected"]
      ]
      for (const [error, tag] of errors) {
        const failure = yield* failureOf(ask(Stream.fail(error)))
        assert.strictEqual(failure._tag, tag)
        assert.notInclude(shown(failure), secret)
        if (failure._tag === "ModelOverloaded") assert.strictEqual(failure.retryAfterMillis, 3000)
      }
    })
  )

  it.effect("is silent no longer than it may be between two parts (R7)", () =>
    Effect.gen(function* () {
      const { languageModel } = yield* fake(Stream.concat(Stream.fromIterable(said), Stream.never))
      const model = AiLanguageModel.make(languageModel, { name: "any", silenceTimeout: "10 seconds" })
      const fiber = yield* Effect.fork(failureOf(parts(model)))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "ModelSilent")
    })
  )

  it.effect("lets the message rule over what was recorded of it: changed text, calls that are gone (R7)", () =>
    Effect.gen(function* () {
      const { languageModel, asked } = yield* fake(
        Stream.fromIterable([
          { type: "reasoning-start", id: "r", metadata: { x: { id: "first" } } },
          { type: "reasoning-delta", id: "r", delta: "hm", metadata: { x: { signature: "S" } } },
          { type: "reasoning-end", id: "r" },
          ...said,
          { type: "tool-call", id: "c1", name: "weather", params: {} },
          { type: "tool-call", id: "c2", name: "weather", params: {} },
          finish
        ])
      )
      const model = AiLanguageModel.make(languageModel, { name: "any" })
      const provider = at((yield* parts(model)).at(-1), "provider")
      const call = { id: "c2", type: "function", function: { name: "weather", arguments: "{}" } } as const
      const replayed = (content: string) =>
        Effect.map(
          parts(model, {
            messages: [
              ...hello.messages,
              { id: "a", message: { role: "assistant", content, tool_calls: [call] }, provider },
              ...conversation(
                { role: "tool", tool_call_id: "c2", content: '{"error":"no"}' },
                { role: "system", content: "mind" }
              )
            ],
            functions: [weather]
          }),
          () => asked.at(-1)?.prompt.content
        )
      const reasoning = { type: "reasoning", text: "hm", options: { x: { id: "first", signature: "S" } } }
      for (const content of ["Hi", "Redacted"]) {
        const prompt = yield* replayed(content)
        const sent = at(prompt, 1, "content") as ReadonlyArray<object>
        assert.strictEqual(sent.length, 3)
        assert.deepInclude(sent[0] as object, reasoning)
        assert.deepInclude(sent[1] as object, { type: "text", text: content })
        assert.deepInclude(sent[2] as object, { type: "tool-call", id: "c2" })
        assert.deepInclude(at(prompt, 2, "content", 0) as object, { name: "weather", isFailure: true })
        assert.strictEqual(at(prompt, 3, "content", 0, "text"), "<system>\nmind\n</system>")
      }
    })
  )

  it.effect("serves any LanguageModel as a layer (R7)", () =>
    Effect.gen(function* () {
      const { languageModel } = yield* fake(Stream.fromIterable([...said, finish]))
      const served = AiLanguageModel.layer({ name: "any" }).pipe(
        Layer.provide(Layer.succeed(LanguageModel.LanguageModel, languageModel))
      )
      const got = yield* Effect.provide(
        Effect.flatMap(Model, (model) => parts(model)),
        served
      )
      assert.strictEqual(textOf(got), "Hi")
      assert.deepStrictEqual(at(got.at(-1), "usage"), {
        inputTokens: 10,
        outputTokens: 4,
        cachedInputTokens: 6,
        reasoningTokens: 1
      })
    })
  )
})
