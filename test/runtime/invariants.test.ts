import { assert, describe, it } from "@effect/vitest"
import { Chunk, Duration, Effect, Fiber, Layer, Schema, Stream, TestClock } from "effect"
import { Approvals } from "../../src/approval/Approvals.ts"
import type { ModelService } from "../../src/model/Model.ts"
import { ModelRejected } from "../../src/model/ModelError.ts"
import { noUsage, type ModelPart } from "../../src/model/ModelPart.ts"
import { CancelTask, DecideApproval, Interrupt, Shutdown, SubmitPrompt } from "../../src/runtime/Command.ts"
import type { Envelope } from "../../src/runtime/Envelope.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import * as Testing from "../../src/testing.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { stdout } from "../../src/tool/ToolCall.ts"
import { answers, steps, type Step, type ToolName } from "../support/arbitrary.ts"

const common = { description: "d", parameters: Schema.Struct({}), success: Schema.String }

class Refused extends Schema.TaggedError<Refused>()("Refused", {}) {}

const tools = [
  Tool.make("ok", { ...common, readOnly: true, handler: () => Effect.succeed("fine") }),
  Tool.make("ask", { ...common, approval: "always", handler: () => Effect.succeed("asked") }),
  Tool.make("fail", { ...common, failure: Refused, handler: () => new Refused() }),
  Tool.make("die", { ...common, handler: () => Effect.die(new Error("bug")) }),
  Tool.make("throw", {
    ...common,
    handler: () => {
      throw new Error("bug")
    }
  }),
  Tool.make("wrong", { ...common, handler: () => Effect.succeed(42 as never) }),
  Tool.make("slow", { ...common, timeout: "20 millis", handler: () => Effect.as(Effect.sleep("1 second"), "slow") }),
  Tool.make("hang", {
    ...common,
    timeout: "30 millis",
    handler: () => Effect.as(Effect.uninterruptible(Effect.sleep("40 millis")), "hung")
  }),
  /** Goes on talking after its end. */
  Tool.make("late", {
    ...common,
    handler: (_, call) =>
      Effect.as(
        Effect.forkDaemon(Effect.forever(Effect.zipRight(Effect.sleep("5 millis"), stdout(call, "late")))),
        "late"
      )
  })
] as const

type Answer = ReadonlyArray<ToolName> | "fail" | "die" | "done"

const playing = (script: ReadonlyArray<Answer>): ModelService => {
  let next = 0
  return {
    name: "random",
    stream: () =>
      Stream.suspend((): Stream.Stream<ModelPart, ModelRejected> => {
        const answer = script[next++ % script.length] ?? "done"
        if (answer === "fail") return Stream.fail(new ModelRejected({ model: "random", reason: "no" }))
        if (answer === "die") return Stream.die(new Error("bug"))
        const calls: ReadonlyArray<ModelPart> =
          answer === "done"
            ? []
            : answer.map((name, index) => ({ _tag: "FunctionCalled", id: `c${next}-${index}`, name, arguments: "{}" }))
        return Stream.fromIterable<ModelPart>([
          { _tag: "TextDelta", text: "x" },
          ...calls,
          { _tag: "Finished", reason: "stop", usage: noUsage }
        ])
      })
  }
}

const act = (session: Testing.TestSession, step: Step) => {
  switch (step._tag) {
    case "submit":
      return session.send(new SubmitPrompt({ session: session.id, task: `t${step.task}`, prompt: "go" }))
    case "cancel":
      return session.send(new CancelTask({ session: session.id, task: `t${step.task}` }))
    case "interrupt":
      return session.send(new Interrupt({ session: session.id }))
    case "pass":
      return TestClock.adjust(Duration.millis(step.millis))
    case "decide":
      return Effect.flatMap(Approvals, (approvals) =>
        Effect.flatMap(approvals.state(), ({ pending: [first] }) =>
          first === undefined
            ? Effect.void
            : session.send(
                new DecideApproval({
                  session: session.id,
                  approvalId: first.id,
                  digest: first.digest,
                  decision: step.approve ? "approve" : "deny"
                })
              )
        )
      )
  }
}

const durable = (envelopes: ReadonlyArray<Envelope>) => envelopes.filter(({ transient }) => transient !== true)

describe("any interleaving of submit, cancel, decide, shutdown, defects and timeouts", () => {
  it.effect.prop(
    "gives each task one terminal event, gapless numbers, a result to each call, and silence after the end (R4)",
    [steps, answers],
    ([script, model]) =>
      Effect.gen(function* () {
        const runtime = yield* Runtime
        const session = yield* Testing.session()
        const watching = yield* Effect.fork(Stream.runCollect(runtime.subscribe(session.id, { from: 1 })))
        for (const step of script) yield* act(session, step)
        const late = yield* Effect.fork(Stream.runCollect(runtime.subscribe(session.id, { from: 3, transient: false })))
        yield* session.send(new Shutdown({}))
        yield* Effect.forkDaemon(TestClock.adjust("10 seconds"))
        const seen = Chunk.toReadonlyArray(yield* Fiber.join(watching))
        const stored = yield* session.recorded
        assert.deepStrictEqual(Testing.Timeline.violations(seen), [])
        assert.deepStrictEqual(durable(seen), stored, "live is what is stored")
        assert.deepStrictEqual(Chunk.toReadonlyArray(yield* Fiber.join(late)), stored.slice(2), "from any number on")
        assert.strictEqual(stored.at(-1)?.event._tag, "SessionSuspended")
      }).pipe(
        Effect.provide(
          Testing.layer({
            tools,
            model: playing(model),
            policy: "ask",
            settings: { interruptGrace: Duration.seconds(1), maxIterations: 8 }
          }).pipe(Layer.orDie)
        )
      ),
    { fastCheck: { numRuns: 150 } }
  )
})
