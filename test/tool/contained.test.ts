import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, TestClock } from "effect"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import { FileChanges } from "../../src/tool/FileChanges.ts"
import * as Hook from "../../src/tool/Hook.ts"
import { Ids } from "../../src/tool/Ids.ts"
import { Notifications } from "../../src/tool/Notifications.ts"
import { FileChanged, trusted } from "../../src/tool/ToolEvent.ts"
import * as Gate from "../../src/gate/Gate.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { ear, Echo, request, running } from "./support.ts"

const circular: { self?: unknown } = {}
circular.self = circular

describe("what others wrote", () => {
  it.effect("crashes a tool though siblings of the defect were interrupted (T4)", () =>
    Effect.gen(function* () {
      const bug = Effect.delay(Effect.die(new Error("bug")), 10)
      const fan = running(Effect.all([bug, Effect.never], { concurrency: "unbounded" }))
      const toolset = yield* Toolset.make([fan], {
        middleware: DefaultStack.make({}),
        gate: Gate.unguarded("unit test")
      })
      const { sink, tags } = ear()
      const fiber = yield* Effect.fork(Effect.flip(toolset.call(request("work", {}, sink))))
      yield* TestClock.adjust(10)
      assert.strictEqual((yield* Fiber.join(fiber)).message, "tool work crashed")
      assert.include(tags(), "ToolDefectCaught")
    })
  )

  it.effect("is refused by a tool without parameters, whose JSON Schema is a closed object (T9)", () =>
    Effect.gen(function* () {
      const tool = running(Effect.succeed("ran"))
      assert.deepInclude(tool.codec.jsonSchema(), { type: "object", properties: {}, additionalProperties: false })
      const toolset = yield* Toolset.make([tool], {
        middleware: DefaultStack.make({}),
        gate: Gate.unguarded("unit test")
      })
      for (const params of [{ evil: 1 }, "text", 5, [1], null]) {
        assert.strictEqual((yield* Effect.flip(toolset.call(request("work", params))))._tag, "ParametersInvalid")
      }
      assert.strictEqual((yield* toolset.call(request("work", {}))).text, "ran")
    })
  )

  it.effect("fills no message, whatever its length and its characters (T9)", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.make([Echo], {
        middleware: DefaultStack.make({}),
        gate: Gate.unguarded("unit test")
      })
      const told = (name: string, params: unknown) =>
        Effect.map(Effect.flip(toolset.call(request(name, params))), ({ message }) => message)
      for (const params of [{ text: "a", ["x".repeat(100_000)]: 1 }, { text: { ["k".repeat(100_000)]: 1 } }]) {
        assert.isBelow((yield* told("echo", params)).length, 1000)
      }
      assert.isTrue((yield* told("echo", { text: "a", "\ud800": 1 })).isWellFormed())
      assert.include(yield* told("echo", { "\u001b[31m": 1 }), "\\u{1b}[31m")
      assert.isBelow((yield* told("n".repeat(100_000), {})).length, 200)
    })
  )

  it.effect("fails the call with the hook's reason, or is passed over, when a decision is none (T8)", () =>
    Effect.gen(function* () {
      const mute = {
        get message(): string {
          throw new Error("mute")
        }
      }
      const runs: ReadonlyArray<readonly [string, () => unknown]> = [
        ["did not return a decision", () => Effect.void],
        ["did not return a decision", () => Effect.succeed({ _tag: "Nope" })],
        ["circular", () => Effect.succeed(Hook.Before.Abort({ reason: "r", result: circular }))],
        ["it failed without a message", () => Effect.fail(mute)]
      ]
      for (const [reason, run] of runs) {
        const hooked = (onFailure: "fail" | "skip"): Hook.Hook =>
          Hook.pre("echo", run as Hook.PreHook["run"], { onFailure })
        const calling = (onFailure: "fail" | "skip") =>
          Effect.flatMap(
            Toolset.make([Echo], {
              middleware: DefaultStack.make({ hooks: [hooked(onFailure)] }),
              gate: Gate.unguarded("unit test")
            }),
            (toolset) => toolset.call(request("echo", { text: "hi" }))
          )
        const error = yield* Effect.flip(calling("fail"))
        assert.strictEqual(error._tag, "HookFailed")
        assert.include(error.message, reason)
        assert.strictEqual((yield* calling("skip")).text, "hi")
      }
    })
  )

  it.effect("changes no outcome when a notice rule or an observer crashes (T12, T9)", () =>
    Effect.gen(function* () {
      const crash = () => {
        throw new Error("rule")
      }
      const toolset = yield* Toolset.make([Echo], {
        middleware: DefaultStack.make({ notifications: { show: yield* Notifications, rule: crash }, onInvalid: crash }),
        gate: Gate.unguarded("unit test")
      })
      assert.strictEqual((yield* toolset.call(request("echo", { text: "hi" }))).text, "hi")
      assert.strictEqual((yield* Effect.flip(toolset.call(request("echo", {}))))._tag, "ParametersInvalid")
    }).pipe(Effect.provide(Layer.provide(Notifications.layer(), Ids.layerSequential)))
  )

  it.effect("matches a hostile glob within bounds, and refuses one that is none (T14)", () =>
    Effect.gen(function* () {
      const changes = yield* FileChanges
      const path = `/w/${"a".repeat(60)}`
      yield* changes.report(new FileChanged({ callId: "c", tool: "t", path, change: "modified", size: 1 }, trusted))
      assert.deepStrictEqual(yield* changes.recent({ glob: `/w/${"*a".repeat(30)}z` }), [])
      assert.lengthOf(yield* changes.recent({ glob: "/w/*" }), 1)
      assert.isTrue((yield* Effect.exit(changes.recent({ glob: "[" })))._tag === "Failure")
    }).pipe(Effect.provide(FileChanges.layer()))
  )
})
