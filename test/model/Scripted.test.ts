import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as Scripted from "../../src/model/Scripted.ts"
import { at, callsOf, conversation, failureOf, hello, parts, textOf } from "./support.ts"

const problems = (text: string) => Effect.map(failureOf(Scripted.fromJson(text, "demo.json")), (error) => error.message)

describe("Scripted", () => {
  it.effect("plays its turns in order, with chunks, thoughts, calls and usage (R7)", () =>
    Effect.gen(function* () {
      const model = yield* Scripted.make([
        [
          { think: "let me see" },
          { say: ["Look", "ing"] },
          { call: { name: "weather", arguments: { city: "Rome" } } },
          { call: { name: "weather", arguments: '{"city' } },
          { usage: { inputTokens: 7 } }
        ],
        "It is sunny"
      ])
      assert.deepStrictEqual(yield* parts(model), [
        { _tag: "ReasoningDelta", text: "let me see" },
        { _tag: "TextDelta", text: "Look" },
        { _tag: "TextDelta", text: "ing" },
        { _tag: "ArgumentsDelta", id: "call_1_1", name: "weather", text: '{"city":"Rome"}' },
        { _tag: "FunctionCalled", id: "call_1_1", name: "weather", arguments: '{"city":"Rome"}' },
        { _tag: "ArgumentsDelta", id: "call_1_2", name: "weather", text: '{"city' },
        { _tag: "FunctionCalled", id: "call_1_2", name: "weather", arguments: '{"city' },
        {
          _tag: "Finished",
          reason: "tool_calls",
          usage: { inputTokens: 7, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 },
          model: "scripted"
        }
      ])
      const second = yield* parts(model)
      assert.strictEqual(textOf(second), "It is sunny")
      assert.strictEqual(at(second.at(-1), "reason"), "stop")
      assert.deepStrictEqual(yield* model.requests, [hello, hello])
    })
  )

  it.effect("takes the first turn left that matches, and a repeating one again and again (R7)", () =>
    Effect.gen(function* () {
      const model = yield* Scripted.make([
        { when: "weather", steps: [{ say: "sunny" }] },
        { when: ({ functions }) => functions.length === 0, steps: [{ say: "no tools" }] },
        { repeat: true, steps: [{ say: "anything" }] }
      ])
      const ask = (content: string, functions = hello.functions) =>
        Effect.map(parts(model, { messages: conversation({ role: "user", content }), functions }), textOf)
      assert.strictEqual(yield* ask("hello"), "anything")
      assert.strictEqual(yield* ask("the weather"), "sunny")
      assert.strictEqual(yield* ask("the weather"), "anything")
      assert.strictEqual(yield* ask("hello", []), "no tools")
      assert.strictEqual(yield* ask("hello", []), "anything")
    })
  )

  it.effect("says why it has nothing to answer: played out, or nothing that matches (R7)", () =>
    Effect.gen(function* () {
      const out = yield* Scripted.make(["once"])
      yield* parts(out)
      const over = yield* failureOf(parts(out))
      assert.isTrue(over._tag === "ModelRejected" && over.message.includes("its one turn was played"))
      const other = yield* failureOf(parts(yield* Scripted.make([{ when: "never", steps: [] }])))
      assert.isTrue(other._tag === "ModelRejected" && other.message.includes("1 of 1"))
    })
  )

  it.effect("waits by the Clock, fails and dies as told (R7)", () =>
    Effect.gen(function* () {
      const model = yield* Scripted.fromJson(
        JSON.stringify({
          turns: [
            { steps: [{ wait: "5 seconds" }, { say: "late" }] },
            { steps: [{ fail: { _tag: "ModelOverloaded", status: 429, retryAfterMillis: 10 } }] },
            { steps: [{ die: "a bug" }] }
          ]
        }),
        "test"
      )
      const fiber = yield* Effect.fork(parts(model))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(textOf(yield* Fiber.join(fiber)), "late")
      const error = yield* failureOf(parts(model))
      assert.isTrue(error._tag === "ModelOverloaded" && error.status === 429 && error.retryAfterMillis === 10)
      const exit = yield* Effect.exit(parts(model))
      assert.isTrue(Exit.isFailure(exit) && exit.cause._tag === "Die")
    })
  )

  it.effect("numbers its calls on from the conversation, so that a resumed one has no id twice (R7)", () =>
    Effect.gen(function* () {
      const model = yield* Scripted.make([[{ call: { name: "a" } }], [{ call: { name: "b", id: "mine" } }]])
      const messages = conversation({ role: "assistant", content: "1" }, { role: "assistant", content: "2" })
      const first = yield* parts(model, { messages, functions: [] })
      assert.strictEqual(at(first.at(-2), "id"), "call_3_1")
      assert.deepStrictEqual(callsOf(first), [["a", "{}"]])
      assert.strictEqual(at((yield* parts(model)).at(-2), "id"), "mine")
    })
  )

  it.effect("tells where a file is wrong and what it expected (R7)", () =>
    Effect.gen(function* () {
      assert.include(yield* problems("{"), "The script demo.json cannot be played")
      assert.include(
        yield* problems('{"turns":[{"steps":[{"sya":"x"}]}]}'),
        "turns.0.steps.0.sya: unknown key; known keys: say"
      )
      assert.include(yield* problems('{"turns":[{"steps":[{"say":"a","think":"b"}]}]}'), "exactly one of say, think")
      assert.include(yield* problems('{"turns":[{"steps":[{"wait":"soon"}]}]}'), 'like "90 seconds"')
      for (const text of [
        "[]",
        '{"turns":5}',
        '{"turns":["hi"]}',
        '{"turns":[{"steps":[{"fail":{}},{"say":1},{"a":1},{}]}]}'
      ]) {
        const said = yield* problems(text)
        assert.notMatch(said, /readonly|<->|undefined/)
        assert.isBelow(said.length, 500)
      }
    })
  )
})
