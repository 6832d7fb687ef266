import * as Ai from "@effect/ai/Tool"
import * as Toolkit from "@effect/ai/Toolkit"
import * as LanguageModel from "@effect/ai/LanguageModel"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Schema, Stream } from "effect"
import { Approvals } from "../../src/approval/Approvals.ts"
import { backoff } from "../../src/middleware/retry.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import { fromToolkit } from "../../src/tool/fromToolkit.ts"
import { Ids } from "../../src/tool/Ids.ts"
import * as Tool from "../../src/tool/Tool.ts"
import * as Gate from "../../src/gate/Gate.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { toToolkit } from "../../src/gate/toToolkit.ts"
import { undecoded } from "../../src/tool/ToolCall.ts"
import { Broken, ear, Echo, request, running, Write } from "./support.ts"

const Add = Ai.make("add", {
  description: "Adds",
  parameters: { a: Schema.NumberFromString, b: Schema.Number },
  success: Schema.Struct({ sum: Schema.Number })
})
  .annotate(Ai.Readonly, true)
  .annotate(Ai.Title, "Addition")
const Send = Ai.make("send", { parameters: { to: Schema.String }, failure: Broken })
const Ask = Ai.make("ask", { success: Schema.String, failure: Broken, failureMode: "return" }).annotate(
  Ai.Idempotent,
  true
)

const toolkit = Toolkit.make(Add, Send, Ask)
const sent: Array<string> = []
const handlers = toolkit.toLayer({
  add: ({ a, b }) => Effect.succeed({ sum: a + b }),
  send: ({ to }) => (to === "nobody" ? new Broken({ retryable: false }) : Effect.sync(() => void sent.push(to))),
  ask: () => new Broken({ retryable: true })
})

describe("fromToolkit", () => {
  it.effect("takes what the annotations and the declaration say, and the worst of the rest (T1, A7)", () =>
    Effect.gen(function* () {
      const retry = backoff({ maxAttempts: 2, initialDelay: 0, multiplier: 1, maxDelay: 0, jitter: false })
      const [add, send, ask] = yield* fromToolkit(toolkit, {
        send: { risk: "high", timeout: Duration.seconds(5), idleTimeout: Duration.seconds(1) },
        ask: { approval: "never", idempotent: true, retry }
      })
      assert.deepInclude(add, {
        name: "add",
        description: "Adds",
        readOnly: true,
        approval: "never",
        label: "Addition"
      })
      assert.deepInclude(send, {
        description: "",
        readOnly: false,
        idempotent: false,
        approval: "always",
        risk: "high"
      })
      assert.deepStrictEqual(send?.timeout, Duration.seconds(5))
      assert.deepInclude(ask, { readOnly: false, idempotent: true, approval: "never", retry })
    }).pipe(Effect.provide(handlers))
  )

  it.effect(
    "puts the handlers of a toolkit behind the gate: validated, approved, with their typed failures (T6, T9)",
    () =>
      Effect.gen(function* () {
        const tools = yield* fromToolkit(toolkit)
        const toolset = yield* Toolset.make(tools, { middleware: DefaultStack.make({}) })
        const added = yield* toolset.call(request("add", { a: "1", b: 2 }))
        assert.deepStrictEqual([added.value, added.text], [{ sum: 3 }, '{"sum":3}'])
        const wrong = yield* Effect.flip(toolset.call(request("add", { a: "1", b: "2", c: 3 })))
        assert.strictEqual(wrong._tag, "ParametersInvalid")
        const { sink, tags } = ear()
        yield* toolset.call(request("send", { to: "ann" }, sink))
        assert.deepStrictEqual(sent, ["ann"])
        assert.deepStrictEqual(tags(), ["ApprovalRequested", "ApprovalResolved", "ToolCallStarted"])
        assert.strictEqual((yield* Effect.flip(toolset.call(request("send", { to: "nobody" }))))._tag, "Broken")
        assert.strictEqual((yield* Effect.flip(toolset.call(request("ask", {}))))._tag, "Broken")
      }).pipe(Effect.provide([handlers, Approvals.layerDecide(() => ({ decision: "approve" }))]))
  )
})

describe("fromToolkit behind a middleware", () => {
  it.effect("runs on the parameters that the middleware decided on (T1, T9)", () =>
    Effect.gen(function* () {
      const [add] = yield* fromToolkit(toolkit)
      const changed = Tool.wrap(add as unknown as typeof Echo, (call, next) =>
        next({ ...call, rawParams: { a: "20", b: 3 }, params: undecoded })
      )
      const toolset = yield* Toolset.make([changed], {
        middleware: DefaultStack.make({}),
        gate: Gate.unguarded("unit test")
      })
      const result = yield* toolset.call(request("add", { a: "1", b: 2 }))
      assert.deepStrictEqual(result.value, { sum: 23 })
    }).pipe(Effect.provide(handlers))
  )
})

describe("toToolkit", () => {
  const manual = { ...Echo, name: "by_hand", mode: "manual" as const }
  const tools = [Echo, Write, manual, running(new Broken({ retryable: false }), "broken")]
  const sealed = Toolset.make(tools, { middleware: DefaultStack.make({}) })
  const denying = Approvals.layerDecide(() => ({ decision: "deny", reason: "no" }))

  it.effect("publishes the tools of a model with their own schemas and runs them through the gate (T1)", () =>
    Effect.gen(function* () {
      const { heard, sink } = ear()
      const { handle, tools } = yield* toToolkit(yield* sealed, { sessionId: "s", workerPath: ["root", "a"], sink })
      assert.deepStrictEqual(Object.keys(tools), ["echo", "write", "broken"])
      const schema = Ai.getJsonSchema(tools["echo"] as never) as object
      assert.deepInclude(schema, { type: "object", required: ["text"] })
      assert.deepStrictEqual(yield* handle("echo", { text: "hi" } as never), {
        isFailure: false,
        result: "hi",
        encodedResult: "hi"
      } as never)
      assert.deepInclude(heard[0], { _tag: "ToolCallStarted", callId: "call_1" })
      const broken = yield* handle("broken", {} as never)
      assert.deepInclude(broken, { isFailure: true, encodedResult: "it is broken" })
      for (const hidden of ["by_hand", "nothing"]) {
        assert.deepInclude(yield* handle(hidden, {} as never), {
          isFailure: true,
          encodedResult: `Unknown tool "${hidden}".`
        })
      }
    }).pipe(Effect.provide([denying, Ids.layerSequential]))
  )

  it.effect("serves any language model: refusals and results go back to it as text (T6)", () =>
    Effect.gen(function* () {
      const asking = (approval: "always" | "never") => ({ ...Write, approval })
      const ask = (approval: "always" | "never") =>
        Effect.gen(function* () {
          const toolset = yield* Toolset.make([asking(approval)], { middleware: DefaultStack.make({}) })
          const answer = yield* LanguageModel.generateText({ prompt: "write", toolkit: yield* toToolkit(toolset) })
          return answer.toolResults.map(({ isFailure, name, result }) => [name, isFailure, result])
        })
      assert.deepStrictEqual(yield* ask("never"), [["write", false, "wrote hi"]])
      assert.deepStrictEqual(yield* ask("always"), [["write", true, "write was denied by a rule: no"]])
    }).pipe(Effect.provide([denying, scripted]))
  )
})

const scripted = Layer.effect(
  LanguageModel.LanguageModel,
  LanguageModel.make({
    generateText: () =>
      Effect.succeed([
        { type: "tool-call", id: "1", name: "write", params: { text: "hi" } },
        { type: "finish", reason: "tool-calls", usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } }
      ] as never),
    streamText: () => Stream.empty
  })
)
