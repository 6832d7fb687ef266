import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Redacted, Schema } from "effect"
import { Approvals } from "../../src/approval/Approvals.ts"
import { Redactor } from "../../src/redaction/Redactor.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import * as Hook from "../../src/tool/Hook.ts"
import { Notifications } from "../../src/tool/Notifications.ts"
import { fileChanged, progress, stdout, type ToolCall } from "../../src/tool/ToolCall.ts"
import * as Tool from "../../src/tool/Tool.ts"
import * as Gate from "../../src/gate/Gate.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { Broken, ear, Echo, request, running, tracing } from "./support.ts"

describe("telemetry", () => {
  it.effect("makes one `execute_tool` span for a call, by the GenAI conventions, without any content (T11)", () =>
    Effect.gen(function* () {
      const { spans, tracer } = tracing()
      const toolset = yield* Toolset.make([Echo], {
        middleware: DefaultStack.make({ telemetry: {} }),
        gate: Gate.unguarded("unit test")
      })
      yield* Effect.withTracer(toolset.call(request("echo", { text: "secret" })), tracer)
      assert.strictEqual(spans.length, 1)
      assert.deepInclude(spans[0], { name: "execute_tool echo", kind: "internal", ended: true })
      assert.deepStrictEqual(Object.fromEntries(spans[0]!.attributes), {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "echo",
        "gen_ai.tool.description": "Says it again",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": "call_1",
        "gen_ai.conversation.id": "session_1",
        "tollgate.worker.path": "root",
        "tollgate.tool.read_only": true,
        "tollgate.tool.risk": "low"
      })
    })
  )

  it.effect("makes no span where it is not configured (T11, T15)", () =>
    Effect.gen(function* () {
      const { spans, tracer } = tracing()
      const toolset = yield* Toolset.make([Echo], {
        middleware: DefaultStack.make({}),
        gate: Gate.unguarded("unit test")
      })
      yield* Effect.withTracer(toolset.call(request("echo", { text: "hi" })), tracer)
      assert.deepStrictEqual(spans, [])
    })
  )

  it.effect("has content only on opt-in, redacted (T11)", () =>
    Effect.gen(function* () {
      const { spans, tracer } = tracing()
      const toolset = yield* Toolset.make([Echo], {
        middleware: DefaultStack.make({ telemetry: { content: true } }),
        gate: Gate.unguarded("unit test")
      })
      yield* Effect.withTracer(toolset.call(request("echo", { text: "a secret" })), tracer)
      assert.strictEqual(spans[0]?.attributes.get("gen_ai.tool.call.arguments"), '{"text":"a [redacted-secret]"}')
      assert.strictEqual(spans[0]?.attributes.get("gen_ai.tool.call.result"), "a [redacted-secret]")
    }).pipe(Effect.provide(Redactor.layer({ secrets: [Redacted.make("secret")] })))
  )

  it.effect("says how a call failed, and is the parent of what the tool traces itself (T11)", () =>
    Effect.gen(function* () {
      const { spans, tracer } = tracing()
      const tools = [
        running(Effect.withSpan(new Broken({ retryable: false }), "inner"), "broken"),
        running(Effect.die("bug"), "bug"),
        running(Effect.interrupt, "gone")
      ]
      const toolset = yield* Toolset.make(tools, {
        middleware: DefaultStack.make({ telemetry: { content: true } }),
        gate: Gate.unguarded("unit test")
      })
      for (const name of ["broken", "bug", "gone"]) {
        assert.isTrue(Exit.isFailure(yield* Effect.exit(Effect.withTracer(toolset.call(request(name, {})), tracer))))
      }
      assert.deepStrictEqual(
        spans.map(({ attributes, name, parent }) => [name, parent, attributes.get("error.type")]),
        [
          ["execute_tool broken", undefined, "Broken"],
          ["inner", "execute_tool broken", undefined],
          ["execute_tool bug", undefined, "Crashed"],
          ["execute_tool gone", undefined, undefined]
        ]
      )
    })
  )

  it.effect("changes nothing of a call, not even of one that cannot be told (T11)", () =>
    Effect.gen(function* () {
      class Mute extends Schema.TaggedError<Mute>()("Mute", {}) {
        override get message(): string {
          throw new Error("says nothing")
        }
      }
      const { spans, tracer } = tracing()
      const round: { self?: unknown; big: bigint } = { big: 1n }
      round.self = round
      const mute = Tool.make("mute", {
        description: "Fails",
        parameters: Schema.Struct({ self: Schema.optional(Schema.Unknown), big: Schema.Unknown }),
        success: Schema.Void,
        failure: Mute,
        handler: () => new Mute()
      })
      const toolset = yield* Toolset.make([mute], {
        middleware: DefaultStack.make({ telemetry: { content: true } }),
        gate: Gate.unguarded("unit test")
      })
      // The gate takes data alone, which holds nothing that contains itself.
      for (const [index, [params, tag]] of (
        [
          [{ big: 1n }, "Mute"],
          [round, "ParametersInvalid"]
        ] as const
      ).entries()) {
        const error = yield* Effect.flip(Effect.withTracer(toolset.call(request("mute", params)), tracer))
        assert.strictEqual(error._tag, tag)
        assert.deepInclude(spans[index], { ended: true })
        assert.strictEqual(spans[index]?.attributes.get("error.type"), tag)
      }
    })
  )

  it.effect("holds the events of the call, bounded and without content (T11)", () =>
    Effect.gen(function* () {
      const { spans, tracer } = tracing()
      const { sink } = ear()
      const chatty = {
        ...running(Effect.void),
        approval: "always" as const,
        handler: (_: unknown, call: ToolCall) =>
          Effect.zipRight(
            Effect.all([
              progress(call, { current: 1, total: 2 }),
              progress(call, { label: "secret" }),
              fileChanged(call, { path: "secret", change: "created", size: 3 })
            ]),
            Effect.replicateEffect(stdout(call, "secret"), 200)
          )
      }
      const toolset = yield* Toolset.make([chatty], {
        middleware: DefaultStack.make({
          telemetry: {},
          notifications: {
            show: yield* Notifications,
            rule: () => ({ level: "info", title: "secret", message: "secret" })
          },
          hooks: [Hook.pre("*", (call) => Effect.succeed(Hook.Before.Replace({ parameters: call.rawParams })))]
        })
      })
      yield* Effect.withTracer(toolset.call(request("work", {}, sink)), tracer)
      const [span] = spans
      assert.strictEqual(span?.events.length, 128)
      assert.deepStrictEqual(
        span?.events.slice(0, 8).map(({ name }) => name),
        [
          "HookIntervened",
          "ApprovalRequested",
          "ApprovalResolved",
          "ToolCallStarted",
          "ToolProgressed",
          "ToolProgressed",
          "FileChanged",
          "ToolOutput"
        ]
      )
      assert.notInclude(JSON.stringify(span?.events), "secret")
      assert.deepStrictEqual(span?.events[4]?.attributes, { current: 1, total: 2 })
    }).pipe(Effect.provide([Approvals.layerDecide(() => ({ decision: "approve" })), Notifications.layer()]))
  )
})
