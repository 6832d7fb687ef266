import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import type { ApprovalPolicy } from "../../src/approval/ApprovalPolicy.ts"
import { Approvals } from "../../src/approval/Approvals.ts"
import { Reviewer, type ReviewerAnswer, type ProgramOptions } from "../../src/approval/Reviewer.ts"
import { Processes } from "../../src/process/Processes.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { silent } from "../../src/tool/ToolCall.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { requested } from "./requested.ts"

const request = requested({ command: "touch a" })

const consult = (script: string, options: Partial<ProgramOptions> = {}) =>
  Effect.gen(function* () {
    const { decide } = yield* Reviewer
    assert.isDefined(decide)
    return decide === undefined ? undefined : yield* decide(request)
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
const gated = (policy: ApprovalPolicy, answer: ReviewerAnswer) =>
  Effect.gen(function* () {
    const Write = Tool.make("write", {
      description: "Writes",
      parameters: Schema.Struct({}),
      success: Schema.String,
      approval: "always",
      handler: () => Effect.succeed("done")
    })
    const toolset = yield* Toolset.make([Write])
    const place = { callId: "c1", sessionId: "s", workerPath: ["root"], rawParams: {}, startedAt: 0, sink: silent }
    return yield* Effect.merge(Effect.map(toolset.call({ name: "write", ...place }), ({ text }) => text))
  }).pipe(
    Effect.provide(
      Approvals.layer({ policy }).pipe(Layer.provide(Layer.succeed(Reviewer, { decide: () => Effect.succeed(answer) })))
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
