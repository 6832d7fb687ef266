import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { Approvals } from "../../src/approval/Approvals.ts"
import { Reviewer } from "../../src/approval/Reviewer.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import type { Middleware } from "../../src/middleware/Middleware.ts"
import * as Testing from "../../src/testing.ts"
import { ClientTools } from "../../src/tool/ClientTools.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { silent, type ToolCall } from "../../src/tool/ToolCall.ts"

const Act = Tool.make("act", {
  description: "Acts",
  parameters: Schema.Struct({}),
  success: Schema.String,
  handler: () => Effect.succeed("done")
})

/** Lets no call stop half-way. */
const whole: Middleware<ToolCall> = (call, next) => Effect.uninterruptible(next(call))

const model = [[{ call: { name: "act", arguments: {} } }], "Done."]
const toolset = Toolset.make([Act], { middleware: whole })

describe("a call in a step that nothing interrupts", () => {
  it.effect("runs once a person has approved it, without waiting for the end of their time (T3, A8)", () =>
    Effect.gen(function* () {
      const session = yield* Testing.session()
      yield* session.submit("go", { task: "t" })
      yield* session.approve()
      yield* session.awaitEnd("t")
      assert.deepStrictEqual(Testing.Timeline.violations(yield* session.recorded), [])
      yield* session.awaitTag("ToolCallCompleted")
    }).pipe(Effect.provide(Testing.layer({ toolset, model, policy: "ask" })))
  )

  it.effect("ends with its task where that is cancelled while a person is asked (T3, R4)", () =>
    Effect.gen(function* () {
      const session = yield* Testing.session()
      const task = yield* session.submit("go", { task: "t" })
      yield* session.awaitTag("ApprovalRequested")
      yield* task.cancel
      yield* session.awaitEnd("t")
      assert.strictEqual((yield* session.awaitTag("ApprovalResolved")).outcome, "withdrawn")
      assert.deepStrictEqual(Testing.Timeline.violations(yield* session.recorded), [])
    }).pipe(Effect.provide(Testing.layer({ toolset, model, policy: "ask" })))
  )

  it.effect("runs once a reviewer has approved it (T3, A7)", () => {
    const decide = () => Effect.succeed({ decision: "approve", by: "a reviewer" } as const)
    const approvals = Approvals.layer({ policy: "ask" }).pipe(Layer.provide(Layer.succeed(Reviewer, { decide })))
    return Effect.gen(function* () {
      const session = yield* Testing.session()
      yield* session.run("go")
      yield* session.awaitTag("ToolCallCompleted")
    }).pipe(Effect.provide(Testing.layer({ toolset, model, approvals })))
  })

  it.effect("goes on once its client has answered (T3, T1)", () =>
    Effect.gen(function* () {
      const tools = yield* ClientTools
      yield* tools.declare("s", ["act"])
      const asked = yield* Deferred.make<string>()
      const emit: ToolCall["sink"]["emit"] = (event) =>
        event._tag === "ClientCallRequested" ? Effect.asVoid(Deferred.succeed(asked, event.requestId)) : Effect.void
      const call = { callId: "c", name: "act", sessionId: "s", rawParams: {}, sink: { ...silent, emit } }
      const running = yield* Effect.fork(Effect.uninterruptible(tools.call(call)))
      yield* tools.answer({ sessionId: "s", requestId: yield* Deferred.await(asked), result: "done" })
      assert.strictEqual(yield* Fiber.join(running), "done")
    }).pipe(Effect.provide(ClientTools.layer()))
  )
})
