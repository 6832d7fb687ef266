import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { FunctionCall } from "../../src/conversation/Message.ts"
import { toPrompt } from "../../src/model/AiPrompt.ts"
import * as ChatCompletions from "../../src/model/ChatCompletions.ts"
import * as Testing from "../../src/testing.ts"
import { serve, stream } from "./Loopback.ts"
import { at, conversation, parts } from "./support.ts"

/** What OpenAI accepts as the name of a function in the history; it refuses a request with any other. */
const accepted = /^[a-zA-Z0-9_-]{1,64}$/

const madeUp = [
  "",
  " ",
  "a\u0000b\u001b[31m\u202e",
  "read file",
  "wörk",
  "💥",
  "[redacted-github-token]",
  "x".repeat(1_000_000)
]

const asked = (name: string, index: number): FunctionCall => ({
  id: `c${index}`,
  type: "function",
  function: { name, arguments: "{}" }
})

const history = conversation(
  { role: "user", content: "go" },
  { role: "assistant", content: null, tool_calls: madeUp.map(asked) },
  ...madeUp.map((_, index) => ({
    role: "tool" as const,
    tool_call_id: `c${index}`,
    content: '{"error":"no such tool"}'
  }))
)

const chunk = (delta: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason }]
})

describe("a name of a tool that a model has made up", () => {
  it.scopedLive("goes back to a server in a form that it accepts, beside the names that it knows (R7)", () =>
    Effect.gen(function* () {
      const server = yield* serve(stream(chunk({ content: "ok" }), chunk({}, "stop"), "[DONE]"))
      const model = yield* ChatCompletions.make({ baseUrl: server.url, model: "fake" })
      yield* parts(model, { messages: history, functions: [] })
      const sent = at(server.seen[0]?.body, "messages", 1, "tool_calls") as ReadonlyArray<FunctionCall>
      assert.strictEqual(sent.length, madeUp.length)
      for (const call of sent) assert.match(call.function.name, accepted)
      assert.deepStrictEqual(
        sent.slice(0, 4).map((call) => call.function.name),
        ["unnamed", "_", "a_b__31m_", "read_file"]
      )
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it("goes back by way of @effect/ai in the same form, in the call and in its result (R7)", () => {
    const prompt = toPrompt(history, { backend: "openai", model: "fake" })
    const names = prompt.content.flatMap(({ content }) =>
      typeof content === "string" ? [] : content.flatMap((part) => ("name" in part ? [part.name] : []))
    )
    assert.strictEqual(names.length, 2 * madeUp.length)
    for (const name of names) assert.match(String(name), accepted)
  })

  it.effect("comes back to the model as a call that was refused, and is bounded in what is stored (A9, R4)", () =>
    Effect.gen(function* () {
      const calls = madeUp.map((name) => ({ call: { name, arguments: {} } }))
      const model = yield* Testing.Scripted.make([calls, "So be it."])
      const seen = yield* Effect.provide(
        Effect.flatMap(Testing.session(), (session) => session.run("go")),
        Testing.layer({ tools: [], model })
      )
      const failed = seen.flatMap(({ event }) => (event._tag === "ToolCallFailed" ? [event.error._tag] : []))
      assert.deepStrictEqual(
        failed,
        madeUp.map(() => "ToolNotFound")
      )
      assert.isTrue(seen.some(({ event }) => event._tag === "TaskCompleted" && event.text === "So be it."))
      assert.isBelow(JSON.stringify(seen).length, 50_000)
    })
  )
})
