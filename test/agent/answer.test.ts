import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Schema, Stream } from "effect"
import type { ModelService } from "../../src/model/Model.ts"
import { noUsage, type ModelPart } from "../../src/model/ModelPart.ts"
import { Interrupt, SubmitPrompt } from "../../src/runtime/Command.ts"
import * as Testing from "../../src/testing.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { turn } from "./Delegating.ts"

const Act = Tool.make("act", {
  description: "d",
  parameters: Schema.Struct({}),
  success: Schema.String,
  handler: () => Effect.succeed("done")
})

/** Asks for so many calls, then for none. */
const asking = (count: number, reason: "tool_calls" | "content_filter" = "tool_calls"): ModelService => {
  let asked = false
  return {
    name: "many",
    stream: () => {
      const calls = asked ? 0 : count
      asked = true
      return Stream.fromIterable<ModelPart>([
        { _tag: "TextDelta", text: "x" },
        ...Array.from(
          { length: calls },
          () => ({ _tag: "FunctionCalled", id: "c", name: "act", arguments: "{}" }) as const
        ),
        { _tag: "Finished", reason: calls === 0 ? "stop" : reason, usage: noUsage }
      ])
    }
  }
}

const running = (model: ModelService) =>
  Effect.flatMap(Testing.session(), (session) => session.run("go", "t")).pipe(
    Effect.provide(Testing.layer({ tools: [Act], model }))
  )

describe("an answer", () => {
  it.effect("of 1,000 calls has 1,000 results, also where all have one id (R4)", () =>
    Effect.gen(function* () {
      const events = yield* running(asking(1000))
      assert.deepStrictEqual(Testing.Timeline.violations(events), [])
      assert.strictEqual(events.filter(({ event }) => event._tag === "ToolCallCompleted").length, 1000)
    })
  )

  it.effect("of too many calls is refused as a whole, and none is run (R4)", () =>
    Effect.gen(function* () {
      const events = yield* running(asking(1025))
      assert.isFalse(events.some(({ event }) => event._tag === "ToolCallRequested"))
      const end = events.at(-1)?.event
      assert.deepInclude(end, { _tag: "TaskFailed", kind: "model" })
      assert.include(JSON.stringify(end), "more than 1024 calls in one answer; none was run")
    })
  )

  it.effect("that a content filter has cut runs none of its calls (R7)", () =>
    Effect.gen(function* () {
      const events = yield* running(asking(2, "content_filter"))
      assert.deepStrictEqual(Testing.Timeline.violations(events), [])
      assert.isFalse(events.some(({ event }) => event._tag === "ToolCallRequested"))
      assert.deepInclude(events.at(-1)?.event, { _tag: "TaskCompleted", text: "x" })
    })
  )

  it.effect("that is interrupted keeps what was seen of it, and the next request knows (U8)", () =>
    Effect.gen(function* () {
      const model = yield* Testing.Scripted.make([
        turn("go", { say: "Half of it" }, { wait: Duration.hours(1) }, { say: "the rest" }),
        turn("on", { say: "Done" })
      ])
      yield* Effect.gen(function* () {
        const session = yield* Testing.session()
        yield* session.send(new SubmitPrompt({ session: session.id, task: "t", prompt: "go" }))
        yield* session.awaitEvent((event) => event._tag === "TextDelta")
        yield* session.send(new Interrupt({ session: session.id }))
        yield* session.awaitEnd("t")
        yield* session.run("on")
        const events = yield* session.recorded
        assert.deepStrictEqual(Testing.Timeline.violations(events), [])
        const cut = events.map(({ event }) => event).find((event) => event._tag === "ModelInterrupted")
        assert.deepInclude(cut, { text: "Half of it" })
      }).pipe(Effect.provide(Testing.layer({ model })))
      const request = (yield* model.requests).at(-1)
      const contents = request?.messages.map(({ message }) => message.content)
      assert.deepStrictEqual(contents, ["go", "Half of it\n\n[The answer was interrupted here.]", "on"])
    })
  )
})

describe("a conversation longer than a request may be", () => {
  it.effect("loses its oldest messages with a warning, and never begins with an answer (R4)", () =>
    Effect.gen(function* () {
      const model = yield* Testing.Scripted.make(["a".repeat(60), "b".repeat(60), "c".repeat(60)])
      const events = yield* Effect.gen(function* () {
        const session = yield* Testing.session()
        for (const prompt of ["one", "two", "three"]) yield* session.run(prompt)
        return yield* session.recorded
      }).pipe(Effect.provide(Testing.layer({ model, settings: { contextCharacters: 130, autoCompact: false } })))
      const last = (yield* model.requests).at(-1)
      assert.deepStrictEqual(
        last?.messages.map(({ message }) => message.content),
        ["two", "b".repeat(60), "three"]
      )
      for (const request of yield* model.requests) assert.strictEqual(request.messages[0]?.message.role, "user")
      const warnings = events.flatMap(({ event }) => (event._tag === "Notified" ? [event.message] : []))
      assert.strictEqual(warnings.length, 1)
      assert.include(warnings[0], "Compact the conversation")
    })
  )
})
