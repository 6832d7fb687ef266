import { assert, describe, it } from "@effect/vitest"
import { Chunk, Duration, Effect, FastCheck, Fiber, Layer, Schema, Stream, TestClock } from "effect"
import { Approvals } from "../../src/approval/Approvals.ts"
import type { ModelService } from "../../src/model/Model.ts"
import { ModelRejected } from "../../src/model/ModelError.ts"
import { noUsage, type ModelPart } from "../../src/model/ModelPart.ts"
import { CancelTask, DecideApproval, Interrupt, Shutdown, SubmitPrompt } from "../../src/runtime/Command.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import * as Testing from "../../src/testing.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { Delegate } from "../../src/tools/Delegate.ts"
import { steps, type Step } from "../support/arbitrary.ts"

const common = { description: "d", parameters: Schema.Struct({ task: Schema.String }), success: Schema.String }

const tools = [
  Delegate,
  Tool.make("ok", { ...common, readOnly: true, handler: () => Effect.succeed("fine") }),
  Tool.make("ask", { ...common, approval: "always", handler: () => Effect.succeed("asked") }),
  Tool.make("die", { ...common, handler: () => Effect.die(new Error("bug")) }),
  Tool.make("slow", { ...common, handler: () => Effect.as(Effect.sleep("30 millis"), "slow") }),
  Tool.make("deaf", { ...common, handler: () => Effect.as(Effect.uninterruptible(Effect.sleep("40 millis")), "deaf") }),
  Tool.make("gone", { ...common, handler: () => Effect.as(Effect.uninterruptible(Effect.sleep("1 hour")), "gone") })
] as const

const names = ["delegate", "delegate", "delegate", "ok", "ask", "die", "slow", "deaf", "gone"] as const
type Answer = ReadonlyArray<(typeof names)[number]> | "fail" | "die" | "done"

const answers: FastCheck.Arbitrary<ReadonlyArray<Answer>> = FastCheck.array(
  FastCheck.oneof(
    { weight: 6, arbitrary: FastCheck.array(FastCheck.constantFrom(...names), { minLength: 1, maxLength: 3 }) },
    { weight: 3, arbitrary: FastCheck.constant("done" as const) },
    { weight: 1, arbitrary: FastCheck.constantFrom("fail" as const, "die" as const) }
  ),
  { minLength: 1, maxLength: 8 }
)

/** Answers by turns, whichever worker asks. */
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
            : answer.map((name, index) => ({
                _tag: "FunctionCalled",
                id: `c${index}`,
                name,
                arguments: '{"task":"t"}'
              }))
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
      return Effect.gen(function* () {
        const [first] = (yield* (yield* Approvals).state()).pending
        if (first === undefined) return
        const { digest, id: approvalId } = first
        const decision = step.approve ? "approve" : "deny"
        yield* session.send(new DecideApproval({ session: session.id, approvalId, digest, decision, scope: "session" }))
      })
  }
}

describe("any nesting of workers, with failures, deadlines and interruptions at any time", () => {
  it.effect.prop(
    "keeps the invariants of the log for every worker, and leaves no request and no grant of one (R4, U3, U8)",
    [steps, answers, FastCheck.boolean()],
    ([script, model, hurried]) =>
      Effect.gen(function* () {
        const runtime = yield* Runtime
        const session = yield* Testing.session()
        const watching = yield* Effect.fork(Stream.runCollect(runtime.subscribe(session.id, { from: 1 })))
        yield* session.send(new SubmitPrompt({ session: session.id, task: "first", prompt: "go" }))
        for (const step of script) yield* act(session, step)
        yield* session.send(new Shutdown({}))
        yield* Effect.forkDaemon(TestClock.adjust("2 hours"))
        const seen = Chunk.toReadonlyArray(yield* Fiber.join(watching))
        assert.deepStrictEqual(Testing.Timeline.violations(seen), [])
        const approvals = yield* Approvals
        assert.deepStrictEqual((yield* approvals.state()).pending, [])
        assert.deepStrictEqual((yield* approvals.state()).grants, [])
      }).pipe(
        Effect.provide(
          Testing.layer({
            tools,
            model: playing(model),
            policy: "ask",
            stack: hurried ? { timeouts: { tools: { delegate: { limit: Duration.millis(35) } } } } : {},
            settings: { interruptGrace: Duration.seconds(1), maxIterations: 4, maxDepth: 3, maxWorkers: 8 }
          }).pipe(Layer.orDie)
        )
      ),
    { fastCheck: { numRuns: 150 } }
  )
})
