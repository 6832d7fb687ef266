import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Schema } from "effect"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import { Ids } from "../../src/tool/Ids.ts"
import type { Issue } from "../../src/tool/Parameters.ts"
import { ParametersInvalid } from "../../src/tool/Parameters.ts"
import { isReserved } from "../../src/tool/reserved.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { silent } from "../../src/tool/ToolCall.ts"
import { encoder, ToolResult } from "../../src/tool/ToolResult.ts"
import * as Gate from "../../src/gate/Gate.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { Echo, request } from "./support.ts"

describe("Tool.make", () => {
  it("fills in what a tool does not say (T1)", () => {
    const {
      codec: _codec,
      handler: _handler,
      parameters: _p,
      success: _s,
      failure: _f,
      ...said
    } = Tool.make("plain", {
      description: "d",
      parameters: Schema.Struct({}),
      success: Schema.Void,
      handler: () => Effect.void
    })
    assert.deepStrictEqual(said, {
      name: "plain",
      description: "d",
      location: "server",
      mode: "llm",
      approval: "always",
      asks: true,
      risk: "medium",
      readOnly: false,
      idempotent: false,
      concurrent: false,
      repeatable: false,
      timeout: undefined,
      idleTimeout: undefined,
      resultLimit: undefined,
      retry: undefined,
      label: "plain",
      category: "general",
      touches: undefined,
      preview: undefined,
      middleware: undefined
    })
    assert.deepInclude(Echo.codec.jsonSchema(), { type: "object", required: ["text"], additionalProperties: false })
  })
})

describe("Toolset.seal", () => {
  const sealed = (...tools: ReadonlyArray<Tool.Any>) =>
    Effect.exit(Toolset.make(tools as ReadonlyArray<typeof Echo>, { gate: Gate.unguarded("unit test") }))

  it.effect("refuses reserved, malformed and repeated names (T3)", () =>
    Effect.gen(function* () {
      for (const [tools, reason] of [
        [[{ ...Echo, name: "client.requestApproval" }], "reserved"],
        [[{ ...Echo, name: "has space" }], "1 to 64 letters"],
        [[Echo, Echo], "another tool has that name"]
      ] as const) {
        const exit = yield* sealed(...tools)
        assert.include(Exit.isFailure(exit) ? String(exit.cause) : "", reason)
      }
      assert.isTrue(isReserved("Client_RequestApproval"))
      assert.isFalse(isReserved("clients"))
    })
  )

  it.effect("knows no other tools than its own, and none that is reserved (T3)", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.make([Echo], { gate: Gate.unguarded("unit test") })
      const missing = yield* Effect.flip(toolset.call(request("nothing", {})))
      assert.strictEqual(missing.message, 'Unknown tool "nothing". Available: echo.')
      const empty = yield* Effect.flip(
        (yield* Toolset.make([], { gate: Gate.unguarded("unit test") })).call(request("x", {}))
      )
      assert.include(empty.message, "Available: none.")
      const reserved = yield* Effect.flip(toolset.call(request("client.showApproval", {})))
      assert.include(reserved.message, "is reserved for the runtime")
      assert.deepStrictEqual((yield* toolset.call({ ...request("echo", { text: "hi" }), sink: silent })).text, "hi")
    })
  )

  it.effect("tells a handler's wrong result from a failure (T1)", () =>
    Effect.gen(function* () {
      const wrong = { ...Echo, handler: () => Effect.succeed(7 as unknown as string) }
      const later = { ...Echo, name: "later", handler: () => Effect.sync(() => 7 as unknown as string) }
      const toolset = yield* Toolset.make([wrong, later], { gate: Gate.unguarded("unit test") })
      for (const name of ["echo", "later"]) {
        const error = yield* Effect.flip(toolset.call(request(name, { text: "hi" })))
        assert.strictEqual(error._tag, "ResultInvalid")
        assert.include(error.message, `${name} ran, but returned a value that its success schema rejects`)
      }
      const untold = [1n, { a: [1n] }, Symbol("a"), () => 1, { toJSON: () => assert.fail("a bug") }]
      for (const value of untold) {
        const tool = Tool.make("pay", {
          description: "Pays",
          parameters: Schema.Struct({}),
          success: Schema.Unknown,
          handler: () => Effect.succeed(value)
        })
        const sealed = yield* Toolset.make([tool], {
          middleware: DefaultStack.make({}),
          gate: Gate.unguarded("unit test")
        })
        const error = yield* Effect.flip(sealed.call(request("pay", {})))
        assert.strictEqual(error._tag, "ResultInvalid")
        assert.match(error.message, /^pay ran, but returned a value that has no JSON form: /)
      }
      const strict = Schema.transform(Schema.String, Schema.String, {
        strict: true,
        decode: (text) => text,
        encode: () => assert.fail("a bug")
      })
      const crashing = { ...Echo, codec: { ...Echo.codec, encode: () => encoder(strict) } }
      const crashed = yield* Toolset.make([crashing], { gate: Gate.unguarded("unit test") })
      const why = yield* Effect.flip(crashed.call(request("echo", { text: "hi" })))
      assert.match(why.message, /^echo ran, but returned a value that its success schema crashes on: .*a bug/)
      const unjudged = {
        ...Echo,
        codec: { ...Echo.codec, encode: () => encoder(Schema.String, () => assert.fail("a bug")) }
      }
      const sealed = yield* Toolset.make([unjudged], { gate: Gate.unguarded("unit test") })
      const error = yield* Effect.flip(sealed.call(request("echo", { text: "hi" })))
      assert.match(error.message, /^echo ran, but returned a value that its tool cannot tell from a failure: .*a bug/)
      assert.strictEqual(ToolResult.of({ a: 1 }).withText("short").text, "short")
      assert.strictEqual(ToolResult.of(undefined).text, "done")
    })
  )
})

describe("validate", () => {
  const Deep = Tool.make("deep", {
    description: "d",
    parameters: Schema.Struct({ ranges: Schema.Array(Schema.Struct({ start: Schema.Number })) }),
    success: Schema.Void,
    handler: () => Effect.void
  })

  it.effect("names path, expected and actual of every issue, refuses unknown keys, and tells an observer (T9)", () =>
    Effect.gen(function* () {
      const told: Array<ReadonlyArray<Issue>> = []
      const onInvalid = (_: unknown, issues: ReadonlyArray<Issue>) => Effect.sync(() => void told.push(issues))
      const toolset = yield* Toolset.make([Deep], {
        middleware: DefaultStack.make({ onInvalid }),
        gate: Gate.unguarded("unit test")
      })
      const error = yield* Effect.flip(
        toolset.call(request("deep", { ranges: [{ start: 1 }, { start: "x" }], more: 1 }))
      )
      assert.strictEqual(
        error.message,
        [
          "The parameters of deep are invalid. Correct them and call it again:",
          '- more: is unexpected, expected: "ranges"',
          '- ranges[1].start: Expected number, actual "x"'
        ].join("\n")
      )
      assert.strictEqual(told.length, 1)
      yield* toolset.call(request("deep", { ranges: [] }))
      assert.strictEqual(told.length, 1)
    })
  )

  it.effect("is short enough for a model, however wrong the parameters are (T9)", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.make([Deep], { gate: Gate.unguarded("unit test") })
      const ranges = Array.from({ length: 100 }, () => ({ start: "x".repeat(10_000) }))
      const error = yield* Effect.flip(toolset.call(request("deep", { ranges })))
      assert.include(error.message, "- and 92 more")
      assert.isBelow(error.message.length, 4000)
      const root = new ParametersInvalid({ tool: "t", issues: [{ path: "", message: "m" }] })
      assert.include(root.message, "- (root): m")
    })
  )
})

describe("Ids", () => {
  it.effect("are random, or the same every time in a test (T2)", () =>
    Effect.gen(function* () {
      const { next } = yield* Ids
      assert.match(yield* next("call"), /^call_[0-9a-f]{32}$/)
      const same = yield* Effect.provide(
        Effect.flatMap(Ids, (ids) => Effect.all([ids.next("a"), ids.next("a"), ids.next("b")])),
        Ids.layerSequential
      )
      assert.deepStrictEqual(same, ["a_1", "a_2", "b_1"])
    })
  )
})
