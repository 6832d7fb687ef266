import { assert, describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Schema, TestClock } from "effect"
import { Interrupt, SubmitPrompt } from "../../src/runtime/Command.ts"
import * as Testing from "../../src/testing.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { stdout } from "../../src/tool/ToolCall.ts"

const Echo = Tool.make("echo", {
  description: "Says it again",
  parameters: Schema.Struct({ text: Schema.String }),
  success: Schema.String,
  readOnly: true,
  handler: ({ text }, call) => Effect.as(stdout(call, text), `echo ${text}`)
})

const Write = Tool.make("write", {
  description: "Writes",
  parameters: Schema.Struct({}),
  success: Schema.Void,
  approval: "always",
  handler: () => Effect.void
})

const Hang = Tool.make("hang", {
  description: "Never ends",
  parameters: Schema.Struct({}),
  success: Schema.Void,
  handler: (_, call) => Effect.zipRight(stdout(call, "working on it\n"), Effect.never)
})

const tools = [Echo, Write, Hang] as const

describe("Runtime", () => {
  it.effect("runs a prompt to its end, every event numbered (R3, R4)", () =>
    Effect.gen(function* () {
      const session = yield* Testing.session()
      yield* session.run("say hi")
      const timeline = yield* session.recorded
      assert.deepStrictEqual(Testing.Timeline.violations(timeline), [])
      yield* Effect.promise(() =>
        expect(Testing.Timeline.render(timeline)).toMatchFileSnapshot("../fixtures/timelines/denied-call.txt")
      )
    }).pipe(
      Effect.provide(
        Testing.layer({
          tools,
          model: [
            [{ say: "Looking" }, { call: { name: "echo", arguments: { text: "hi" } } }, { call: { name: "write" } }],
            "Done"
          ],
          decide: () => ({ decision: "deny", reason: "not now" })
        })
      )
    )
  )

  it.effect("interrupts what is in flight with its partial output (R4, U8)", () =>
    Effect.gen(function* () {
      const session = yield* Testing.session()
      yield* session.send(new SubmitPrompt({ session: session.id, task: "t", prompt: "hang" }))
      yield* session.awaitEvent((event) => event._tag === "ToolOutput")
      yield* session.send(new Interrupt({ session: session.id }))
      const end = yield* session.awaitEnd("t")
      assert.strictEqual(end._tag, "TaskInterrupted")
      const timeline = yield* session.recorded
      assert.deepStrictEqual(Testing.Timeline.violations(timeline), [])
      const interrupted = timeline.map(({ event }) => event).find((event) => event._tag === "ToolCallInterrupted")
      assert.include(JSON.stringify(interrupted), "working")
    }).pipe(Effect.provide(Testing.layer({ tools, model: [[{ call: { name: "hang" } }], "Done"] })))
  )

  it.effect("expires an approval after 30 seconds and goes on (A8)", () =>
    Effect.gen(function* () {
      const session = yield* Testing.session()
      const running = yield* Effect.fork(session.run("write"))
      yield* session.awaitEvent((event) => event._tag === "ApprovalRequested")
      yield* TestClock.adjust(Duration.seconds(30))
      const seen = yield* Fiber.join(running)
      const failed = seen.map(({ event }) => event).find((event) => event._tag === "ToolCallFailed")
      assert.strictEqual(failed?.error._tag, "ApprovalExpired")
      assert.strictEqual(seen.at(-1)?.event._tag, "TaskCompleted")
    }).pipe(Effect.provide(Testing.layer({ tools, policy: "ask", model: [[{ call: { name: "write" } }], "Done"] })))
  )
})
