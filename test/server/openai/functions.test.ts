// @effect-diagnostics asyncFunction:off - clients as their users write them
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as fs from "node:fs"
import type OpenAI from "openai"
import * as path from "node:path"
import { Models } from "../../../src/model/Models.ts"
import * as Scripted from "../../../src/model/Scripted.ts"
import { type Answer, served } from "../served.ts"
import { model, openAi, tools } from "./Talker.ts"
import { models } from "./Writer.ts"

const functionNamed = (name: string): OpenAI.ChatCompletionTool => ({
  type: "function",
  function: {
    name,
    description: `The ${name} of a city`,
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
  }
})

const call = (name: string, parameters: Readonly<Record<string, unknown>>) => ({
  call: { name, arguments: parameters }
})

const scripted = Effect.map(
  Scripted.make([
    [
      { say: "Let me see." },
      call("list_dir", { path: "." }),
      call("weather", { city: "Oslo" }),
      call("time", { city: "Oslo" }),
      call("weather", { city: "Rome" })
    ],
    [call("weather", { town: "Bergen" })],
    "All known."
  ]),
  (writer) => ({ writer, models: Models.layerOf({ writer }) })
)

describe("functions of a client", () => {
  it.scopedLive(
    "are called together, run by it, and answered with the next request; the server's are not shown (A1)",
    () =>
      Effect.gen(function* () {
        const { models, writer } = yield* scripted
        const server = yield* served({ models })
        const client = openAi(server)
        const own = [functionNamed("weather"), functionNamed("time")]
        const messages: Array<OpenAI.ChatCompletionMessageParam> = [
          { role: "system", content: "You are a guide." },
          { role: "user", content: "How is it there?" }
        ]
        const first = yield* Effect.promise(() => client.chat.completions.create({ model, messages, tools: own }))
        const { message } = first.choices[0]!
        const calls = (message.tool_calls ?? []).flatMap((one) => (one.type === "function" ? [one] : []))
        assert.strictEqual(message.content, "Let me see.")
        assert.deepStrictEqual(
          calls.map(({ function: { arguments: text, name } }) => [name, JSON.parse(text)]),
          [
            ["weather", { city: "Oslo" }],
            ["time", { city: "Oslo" }],
            ["weather", { city: "Rome" }]
          ]
        )
        const well = { role: "user", content: "Well?" }
        const early = yield* server.ask("/v1/chat/completions", {
          body: { model, messages: [...messages, message, well], tools: own }
        })
        assert.deepStrictEqual([early.status, early.json.error.code], [400, "call_pending"])
        const results = calls.map(({ id }, index) => ({
          role: "tool" as const,
          tool_call_id: id,
          content: `result ${index}`
        }))
        const second = yield* Effect.promise(() =>
          client.chat.completions.create({ model, messages: [...messages, message, ...results], tools: own })
        )
        assert.strictEqual(second.choices[0]?.message.content, "All known.")
        const seen = yield* writer.requests
        assert.includeMembers(seen[0]?.functions.map(({ name }) => name) ?? [], ["weather", "time"])
        const told = (seen.at(-1)?.messages ?? []).flatMap(({ message }) =>
          message.role === "tool" ? [message.content] : []
        )
        assert.includeMembers(told, ["result 0", "result 1", "result 2"])
        assert.isTrue(told.some((text) => text.includes("city")))
        const prompts = (seen[0]?.messages ?? []).filter(({ message }) => message.role === "user")
        assert.include(prompts.map(({ message }) => message.content).join(), "You are a guide.")
      })
  )

  it.scopedLive("of a prompt that comes with results are answered in the task that calls them (A1)", () =>
    Effect.gen(function* () {
      const writer = yield* Scripted.make([
        [call("weather", { city: "Oslo" })],
        "Rain.",
        [call("time", { city: "Oslo" })],
        "Noon."
      ])
      const server = yield* served({ models: Models.layerOf({ writer }) })
      const tools = [functionNamed("weather"), functionNamed("time")]
      const asked = (...messages: ReadonlyArray<object>) =>
        server.ask("/v1/chat/completions", {
          body: { model, messages, tools },
          headers: { "x-tollgate-session": "both" }
        })
      const resultOf = ({ json }: Answer) => ({
        role: "tool",
        tool_call_id: json.choices[0].message.tool_calls[0].id,
        content: "a result"
      })
      const weather = yield* asked({ role: "user", content: "How is it there?" })
      const time = yield* asked(resultOf(weather), { role: "user", content: "And how late?" })
      const last = yield* asked(resultOf(time))
      assert.strictEqual(last.json.choices[0].message.content, "Noon.")
    })
  )

  it.scopedLive("are refused with the server's own names, reserved ones, and schemas that are none (A4)", () =>
    Effect.gen(function* () {
      const server = yield* served({ models })
      const refused = (...names: ReadonlyArray<string>) =>
        Effect.map(
          server.ask("/v1/chat/completions", {
            body: { model, messages: [{ role: "user", content: "hello" }], tools: names.map(functionNamed) }
          }),
          ({ json, status }) => [status, json.error?.code]
        )
      const expected = [400, "invalid_function"]
      for (const name of ["write_file", "client.approve", "Client-x", "client_requestApprova1", "two words", ""]) {
        assert.deepStrictEqual(yield* refused(name), expected, name)
      }
      assert.deepStrictEqual(yield* refused("twice", "twice"), expected)
      assert.deepStrictEqual(yield* refused("client_requestApproval", "client.requestApproval"), expected)
      const broken = { type: "function", function: { name: "broken", parameters: { type: "object", properties: 7 } } }
      const { json } = yield* server.ask("/v1/chat/completions", {
        body: { model, messages: [{ role: "user", content: "hello" }], tools: [broken] }
      })
      assert.strictEqual(json.error.code, "invalid_function")
    })
  )
})

describe("a client that is sent away", () => {
  it.scopedLive("because too many streams are open has begun nothing (R5)", () =>
    Effect.gen(function* () {
      const server = yield* served({ models, limits: { streams: 1 } })
      yield* server.open("/v1/events")
      const posts: ReadonlyArray<readonly [path: string, said: object]> = [
        ["/v1/chat/completions", { messages: [{ role: "user", content: "hello" }] }],
        ["/v1/responses", { input: "hello" }]
      ]
      for (const [path, said] of posts) {
        const { status } = yield* server.ask(path, { body: { model, ...said, stream: true } })
        assert.strictEqual(status, 503)
      }
      const { json } = yield* server.ask("/v1/sessions")
      assert.deepStrictEqual(json.sessions, [])
    })
  )
})

describe("a client that cannot approve", () => {
  it.scopedLive("gets a denial as the result of the call, and the model goes on (A7)", () =>
    Effect.gen(function* () {
      const server = yield* served({ models })
      const { headers, json } = yield* server.ask("/v1/chat/completions", {
        body: { model, messages: [{ role: "user", content: "worker write a.txt" }] }
      })
      assert.strictEqual(json.choices[0].message.content, "done")
      assert.isFalse(fs.existsSync(path.join(server.directory, "a.txt")))
      const log = yield* server.ask(`/v1/sessions/${headers["x-tollgate-session"]}/log`)
      assert.include(log.text, "has not declared the function client.requestApproval")
    })
  )
})

describe("a client that leaves", () => {
  it.scopedLive("ends its task, but for one that waits for a decision (A12)", () =>
    Effect.gen(function* () {
      const server = yield* served({ models })
      const started = (session: string, content: string) =>
        Effect.scoped(
          Effect.gen(function* () {
            const response = yield* server.open("/v1/chat/completions", {
              body: { model, messages: [{ role: "user", content }], tools, stream: true },
              headers: { "x-tollgate-session": session }
            })
            yield* Stream.fromAsyncIterable(response as AsyncIterable<Buffer>, (error) => error).pipe(
              Stream.decodeText(),
              Stream.takeUntil((text) => text.includes("well") || text.includes("tool_calls")),
              Stream.runDrain,
              Effect.ignore
            )
          })
        )
      yield* started("left", "wait")
      yield* Stream.runDrain(
        Stream.takeUntil(
          server.frames("/v1/sessions/left/events"),
          ({ data }) => data.event?._tag === "TaskInterrupted"
        )
      )
      yield* started("asked", "write a.txt")
      const { json } = yield* server.ask("/v1/approvals")
      assert.strictEqual(json.approvals.length, 1)
    })
  )
})

describe("the answers of these routes", () => {
  it.scopedLive("have the models, the usage and the errors of OpenAI", () =>
    Effect.gen(function* () {
      const server = yield* served({ models })
      const listed = yield* Effect.promise(() => openAi(server).models.list())
      assert.deepStrictEqual(
        listed.data.map(({ id }) => id),
        [model]
      )
      const say = { role: "user", content: "hello" }
      const usage = yield* server.ask("/v1/chat/completions", {
        body: { model, messages: [say], temperature: 0, top_k: 1 }
      })
      assert.deepStrictEqual(usage.json.usage, {
        prompt_tokens: 7,
        completion_tokens: 3,
        total_tokens: 10,
        prompt_tokens_details: { cached_tokens: 2 },
        completion_tokens_details: { reasoning_tokens: 1 }
      })
      const image = { role: "user", content: [{ type: "image_url", image_url: { url: "data:," } }] }
      const errors: ReadonlyArray<readonly [body: unknown, status: number, code: string]> = [
        [{ model: "none", messages: [say] }, 404, "model_not_found"],
        [{ model, messages: [say], n: 2 }, 400, "unsupported_parameter"],
        [{ model, messages: [say], response_format: { type: "json_object" } }, 400, "unsupported_parameter"],
        [{ model, messages: [] }, 400, "invalid_value"],
        [{ model, messages: [{ role: "bishop", content: "" }] }, 400, "invalid_value"],
        [{ model, messages: [image] }, 400, "unsupported_content"],
        [{ model, messages: [say], metadata: { session: "../x" } }, 400, "invalid_session"],
        [{ model, messages: [say, { role: "tool", tool_call_id: "approval_1", content: "{}" }] }, 400, "unknown_call"]
      ]
      for (const [body, status, code] of errors) {
        const answer = yield* server.ask("/v1/chat/completions", { body })
        assert.deepStrictEqual([answer.status, answer.json.error?.code], [status, code], JSON.stringify(body))
        assert.hasAllKeys(answer.json.error, ["message", "type", "param", "code"])
      }
      const others = yield* Effect.all([
        server.ask("/v1/chat/completions", { raw: "{", headers: {} }),
        server.ask("/v1/models", { bare: true }),
        server.ask("/v1/responses", { body: { model, input: "x", previous_response_id: "resp_none" } }),
        server.ask("/v1/models/none"),
        server.ask("/v1/chat/completions", { raw: "x", headers: { "content-type": "text/plain" } })
      ])
      assert.deepStrictEqual(
        others.map(({ json, status }) => [status, json.error?.type]),
        [
          [400, "invalid_request_error"],
          [401, "authentication_error"],
          [400, "invalid_request_error"],
          [404, "invalid_request_error"],
          [415, "invalid_request_error"]
        ]
      )
    })
  )
})
