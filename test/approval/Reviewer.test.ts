import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema, TestClock } from "effect"
import type { ApprovalPolicy } from "../../src/approval/ApprovalPolicy.ts"
import { Approvals } from "../../src/approval/Approvals.ts"
import { consulted, Reviewer, type ReviewerAnswer, type ProgramOptions } from "../../src/approval/Reviewer.ts"
import { Processes } from "../../src/process/Processes.ts"
import * as Tool from "../../src/tool/Tool.ts"
import type { CallEvent } from "../../src/gate/CallEvent.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { requested } from "./requested.ts"

const request = requested({ command: "touch a" })

const consult = (script: string, options: Partial<ProgramOptions> = {}) =>
  Effect.gen(function* () {
    const { decide, ...reviewer } = yield* Reviewer
    assert.isDefined(decide)
    return decide === undefined ? undefined : yield* consulted({ ...reviewer, decide }, request)
  }).pipe(
    Effect.provide(
      Reviewer.layerProgram({
        file: process.execPath,
        args: ["-e", script],
        cwd: "/",
        env: {},
        timeout: "10 seconds",
        ...options
      }).pipe(Layer.provide(Processes.layer))
    )
  )

const reading = (say: string) => `const request = JSON.parse(require("fs").readFileSync(0, "utf8")); ${say}`

/** One call by a mode, with a reviewer in front of it. */
const gated = (policy: ApprovalPolicy, answer: ReviewerAnswer) => decided(policy, () => Effect.succeed(answer))

const decided = (
  policy: ApprovalPolicy,
  decide: NonNullable<Reviewer["Type"]["decide"]>,
  hear: (event: CallEvent) => void = () => {},
  more: Partial<Reviewer["Type"]> = {}
) =>
  Effect.gen(function* () {
    const Write = Tool.make("write", {
      description: "Writes",
      parameters: Schema.Struct({}),
      success: Schema.String,
      approval: "always",
      handler: () => Effect.succeed("done")
    })
    const toolset = yield* Toolset.make([Write], { middleware: DefaultStack.make({}) })
    const heard = (event: CallEvent) => Effect.sync(() => hear(event))
    const sink = { emit: heard, commit: heard }
    const place = { callId: "c1", sessionId: "s", workerPath: ["root"], rawParams: {}, startedAt: 0, sink }
    return yield* Effect.merge(Effect.map(toolset.call({ name: "write", ...place }), ({ text }) => text))
  }).pipe(
    Effect.provide(
      Approvals.layer({ policy, attended: policy !== "ask" }).pipe(
        Layer.provide(Layer.succeed(Reviewer, { ...more, decide }))
      )
    )
  )

describe("Reviewer", () => {
  it.effect("decides before the mode, which has the rest (A6)", () =>
    Effect.gen(function* () {
      const by = "reviewer reviewer"
      assert.strictEqual(yield* gated("deny", { decision: "approve", by }), "done")
      const denied = yield* gated("ask", { decision: "deny", by, reason: "not on Fridays" })
      assert.include(String(denied), "write was denied by reviewer reviewer: not on Fridays")
      assert.include(String(yield* gated("deny", { decision: "ask", by })), "was denied by the mode")
      assert.strictEqual(yield* gated("allow", { decision: "deny", by }), "done")
    })
  )

  it.effect.each([
    ["nothing", undefined],
    ["null", null],
    ["a word", "approve"],
    ["no decision", { by: "r" }],
    ["a decision in capitals", { by: "r", decision: "DENY" }],
    ["an unknown decision", { by: "r", decision: "allow" }],
    ["a decision that is true", { by: "r", decision: true }],
    ["nobody who decides", { decision: "approve" }],
    ["an approval by failure", { by: "reviewer", decision: "approve", failed: true, reason: "so" }]
  ] as const)("never approves by an answer that is none: %s (A7)", ([, answer]) =>
    Effect.gen(function* () {
      for (const policy of ["ask", "deny", "fail"] as const) {
        const heard: Array<CallEvent> = []
        const ended = yield* decided(
          policy,
          () => Effect.succeed(answer as unknown as ReviewerAnswer),
          (event) => void heard.push(event)
        )
        assert.include(String(ended), policy === "deny" ? "was denied by the mode" : "needs approval", policy)
        const failed = heard.filter(({ _tag }) => _tag === "ReviewerFailed")
        assert.strictEqual(failed.length, 1)
        assert.deepInclude(failed[0], { by: "reviewer", decision: "ask" })
      }
    })
  )

  it.effect.each([
    ["dies", () => Effect.die(new Error("a bug"))],
    ["throws", () => assert.fail("a bug")],
    ["interrupts itself", () => Effect.interrupt],
    ["fails", () => Effect.fail("no luck") as unknown as Effect.Effect<never>],
    ["gives a promise", () => Promise.resolve({ decision: "approve", by: "r" }) as unknown as Effect.Effect<never>]
  ] as const)("that %s is said to have crashed, and the mode decides (A7)", ([, decide]) =>
    Effect.gen(function* () {
      const heard: Array<CallEvent> = []
      assert.include(
        String(yield* decided("deny", decide, (event) => void heard.push(event))),
        "write was denied by the mode"
      )
      assert.deepInclude(
        heard.find(({ _tag }) => _tag === "ReviewerFailed"),
        { by: "reviewer", decision: "ask", reason: "it crashed" }
      )
      assert.notInclude(
        heard.map(({ _tag }) => _tag),
        "ToolDefectCaught"
      )
    })
  )

  it.effect("approves by nothing that stands for its answer (A7)", () =>
    Effect.gen(function* () {
      const heard: Array<CallEvent> = []
      const unanswered = (reason: string) => ({ decision: "approve" as const, by: "r", reason })
      const said = decided(
        "deny",
        () => Effect.die("a bug"),
        (event) => void heard.push(event),
        { unanswered }
      )
      assert.include(String(yield* said), "write was denied by the mode")
      assert.isTrue(heard.some(({ _tag }) => _tag === "ReviewerFailed"))
    })
  )

  it.effect.each([
    ["crashes", () => assert.fail("a bug")],
    ["gives nothing", () => undefined as never]
  ] as const)(
    "is left to the mode where its own word for no answer %s, which is told as its crash (A7, T19)",
    ([, unanswered]) =>
      Effect.gen(function* () {
        const heard: Array<CallEvent> = []
        const said = decided(
          "deny",
          () => Effect.die("a bug"),
          (event) => void heard.push(event),
          { unanswered }
        )
        assert.include(String(yield* said), "write was denied by the mode")
        assert.deepInclude(
          heard.find(({ _tag }) => _tag === "ReviewerFailed"),
          { by: "reviewer", decision: "ask", reason: "it crashed, and its function `unanswered` crashed" }
        )
        assert.notInclude(
          heard.map(({ _tag }) => _tag),
          "ToolDefectCaught"
        )
      })
  )

  it.effect.each([
    ["never answers", Effect.never],
    ["never answers and cannot be interrupted", Effect.uninterruptible(Effect.never)]
  ] as const)("that %s is left for the mode within a minute (A3, A7)", ([, never]) =>
    Effect.gen(function* () {
      const heard: Array<CallEvent> = []
      const deciding = yield* Effect.fork(
        decided(
          "deny",
          () => never,
          (event) => void heard.push(event)
        )
      )
      yield* TestClock.adjust("59 seconds")
      assert.isNull(deciding.unsafePoll())
      yield* TestClock.adjust("1 second")
      assert.include(String(yield* Fiber.join(deciding)), "write was denied by the mode")
      assert.deepInclude(
        heard.find(({ _tag }) => _tag === "ReviewerFailed"),
        { by: "reviewer", decision: "ask", reason: "it did not answer within 1 min" }
      )
    })
  )

  it.live("decides by a program that reads the request and repeats its digest (A6)", () =>
    Effect.gen(function* () {
      const said = yield* consult(
        reading(
          `console.log(JSON.stringify({ digest: request.digest, decision: request.arguments.command === "touch a" ? "approve" : "deny", reason: "known" }))`
        )
      )
      assert.deepInclude(said, { decision: "approve", reason: "known" })
      const denied = yield* consult(
        reading(`console.log(JSON.stringify({ digest: request.digest, decision: "deny" }))`)
      )
      assert.strictEqual(denied?.decision, "deny")
    })
  )

  it.live("never approves by a failure of any kind (A7)", () =>
    Effect.gen(function* () {
      const approve = `console.log(JSON.stringify({ digest: request.digest, decision: "approve" }))`
      const scripts = [
        reading(`${approve}; process.exitCode = 1`),
        reading(`console.log(JSON.stringify({ digest: "other", decision: "approve" }))`),
        reading(`${approve}; ${approve}`),
        reading(`console.log(JSON.stringify({ digest: request.digest, decision: "approve", unless: "it is friday" }))`),
        reading(`console.log('{"decision":"deny","digest":"' + request.digest + '","decision":"approve"}')`),
        reading(
          `process.stdout.write(Buffer.from(JSON.stringify({ digest: request.digest, decision: "approve", reason: "\\xff" }), "latin1"))`
        ),
        `console.log("approve")`,
        "",
        reading(`console.log(" ".repeat(200000)); ${approve}`)
      ]
      for (const script of scripts) {
        assert.strictEqual((yield* consult(script))?.decision, "ask", script)
        assert.strictEqual((yield* consult(script, { onFailure: "deny" }))?.decision, "deny", script)
      }
      const missing = yield* consult("", { file: "/nowhere/at/all" })
      assert.strictEqual(missing?.decision, "ask")
      const slow = yield* consult("setInterval(() => {}, 1000)", { timeout: "200 millis" })
      assert.strictEqual(slow?.decision, "ask")
      assert.include(slow?.reason ?? "", "did not answer")
    })
  )
})
