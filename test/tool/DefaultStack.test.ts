import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Schema, TestClock } from "effect"
import { Approvals } from "../../src/approval/Approvals.ts"
import { concurrency } from "../../src/middleware/concurrency.ts"
import { group } from "../../src/middleware/group.ts"
import type { Middleware } from "../../src/middleware/Middleware.ts"
import { rateLimit } from "../../src/middleware/rateLimit.ts"
import { backoff } from "../../src/middleware/retry.ts"
import { named } from "../../src/middleware/Step.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import { FileChanges } from "../../src/tool/FileChanges.ts"
import * as Hook from "../../src/tool/Hook.ts"
import { loopGuard } from "../../src/tool/loopGuard.ts"
import { Notifications } from "../../src/tool/Notifications.ts"
import { ProgressBoard } from "../../src/tool/ProgressBoard.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { fileChanged, progress, silent, stderr, stdout, type ToolCall } from "../../src/tool/ToolCall.ts"
import * as Gate from "../../src/gate/Gate.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { Broken, ear, Echo, request, running, Write } from "./support.ts"

const services = Layer.mergeAll(Notifications.layer(), ProgressBoard.layer(), FileChanges.layer())

const policy = backoff({
  maxAttempts: 3,
  initialDelay: "100 millis",
  multiplier: 2,
  maxDelay: "1 second",
  jitter: false
})

const note = (name: string): Middleware<ToolCall> => named<ToolCall>(name, "", (call, next) => next(call))

describe("DefaultStack", () => {
  it.effect("has every configured step in the documented order and prints it, outermost first (T15)", () =>
    Effect.gen(function* () {
      const options = {
        telemetry: {},
        notifications: { show: yield* Notifications },
        hooks: [Hook.pre("*", () => Effect.succeed(Hook.Before.Continue()), { name: "look" })],
        loopGuard: yield* loopGuard({ action: "ask" }),
        limits: [
          { tools: ["echo"], middleware: yield* concurrency(2) },
          { tools: (tool: Tool.Any) => tool.readOnly, middleware: yield* rateLimit({ permits: 5, per: "1 second" }) },
          { tools: ["another"], middleware: note("another") }
        ],
        resultLimit: { bytes: 64_000 },
        retry: policy,
        timeouts: { limit: Echo.timeout ?? "30 seconds", tools: {} } as never,
        progress: yield* ProgressBoard,
        fileChanges: yield* FileChanges
      }
      const timed = Tool.make("echo", { ...Echo, timeout: "5 seconds", idleTimeout: "1 second" } as never)
      const own = Tool.wrap(Echo, group("mine", note("a"), note("b")))
      assert.deepStrictEqual(
        DefaultStack.describe(
          { ...options, timeouts: {} },
          { ...own, timeout: timed.timeout, idleTimeout: timed.idleTimeout }
        ),
        [
          { step: "recovery", detail: "" },
          { step: "telemetry", detail: "" },
          { step: "notifications", detail: "" },
          { step: "loop guard", detail: "ask after 3 identical calls" },
          { step: "hooks", detail: "look" },
          { step: "validation", detail: "" },
          { step: "approval", detail: "" },
          { step: "concurrency", detail: "2 at a time" },
          { step: "rate limit", detail: "5 times per 1 s" },
          { step: "result limit", detail: "64,000 bytes" },
          { step: "retry", detail: "3 attempts, 100 ms × 2 up to 1 s" },
          { step: "timeout", detail: "5 s per attempt, 1 s of silence" },
          { step: "progress", detail: "" },
          { step: "file changes", detail: "" },
          { step: "own › mine › a", detail: "" },
          { step: "own › mine › b", detail: "" },
          { step: "journal", detail: "" },
          { step: "handler", detail: "repeatable" }
        ]
      )
    }).pipe(Effect.provide(services))
  )

  it.effect("has no step that is not configured, and none that does not concern the tool (T15)", () =>
    Effect.sync(() => {
      const names = (options: Parameters<typeof DefaultStack.make>[0], tool: Tool.Any) =>
        DefaultStack.describe(options, tool).map(({ step }) => step)
      assert.deepStrictEqual(names({}, Echo), ["recovery", "validation", "approval", "journal", "handler"])
      assert.deepStrictEqual(names({ recovery: false }, Echo), ["validation", "approval", "journal", "handler"])
      const some = {
        retry: policy,
        hooks: [Hook.pre("echo", () => Effect.succeed(Hook.Before.Continue()))],
        onInvalid: () => Effect.void
      }
      assert.deepStrictEqual(names(some, Write), ["recovery", "validation", "approval", "journal", "handler"])
      assert.deepStrictEqual(names(some, Echo), [
        "recovery",
        "hooks",
        "validation",
        "approval",
        "retry",
        "journal",
        "handler"
      ])
    })
  )

  it.effect("keeps a tool's own middleware inside the global one, and both inside what was wrapped later (T3)", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const trace =
        (name: string): Middleware<unknown> =>
        (call, next) =>
          Effect.zipRight(
            Effect.sync(() => log.push(name)),
            Effect.suspend(() => next(call))
          )
      const tool = Tool.wrap(Tool.wrap(Echo, trace("inner")), trace("outer"))
      const toolset = yield* Toolset.make([tool], { middleware: trace("global"), gate: Gate.unguarded("unit test") })
      yield* toolset.call(request("echo", { text: "hi" }))
      assert.deepStrictEqual(log, ["global", "outer", "inner"])
    })
  )

  it.effect(
    "asks for approval once for all attempts, before a limit is entered, and announces after both (T6, T7, T18)",
    () =>
      Effect.gen(function* () {
        const { sink, tags } = ear()
        let attempts = 0
        const flaky = {
          ...running(Effect.suspend(() => (++attempts < 3 ? new Broken({ retryable: true }) : Effect.succeed("done")))),
          approval: "always" as const
        }
        const log: Array<string> = []
        const limit: Middleware<ToolCall> = (call, next) =>
          Effect.zipRight(
            Effect.sync(() => log.push(`limit after ${tags().join(",")}`)),
            Effect.suspend(() => next(call))
          )
        const toolset = yield* Toolset.make([flaky], {
          middleware: DefaultStack.make({
            retry: policy,
            limits: [{ tools: "*", middleware: limit }]
          })
        })
        const fiber = yield* Effect.fork(toolset.call(request("work", {}, sink)))
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* Fiber.join(fiber)).text, "done")
        assert.deepStrictEqual(log, ["limit after ApprovalRequested,ApprovalResolved"])
        assert.deepStrictEqual(tags(), [
          "ApprovalRequested",
          "ApprovalResolved",
          "ToolCallStarted",
          "ToolCallRetried",
          "ToolCallRetried"
        ])
      }).pipe(Effect.provide(Approvals.layerDecide(() => ({ decision: "approve" }))))
  )

  it.effect("does not touch the handler of a call that is refused, even where its effect was built (T6)", () =>
    Effect.gen(function* () {
      let touched = false
      const eager = Tool.make("eager", {
        description: "Works before it is run",
        parameters: Schema.Struct({}),
        success: Schema.Void,
        handler: () => {
          touched = true
          return Effect.void
        }
      })
      const refuse: Middleware<unknown, { fails: "no" }> = (call, next) =>
        Effect.zipRight(Effect.fail("no" as const), next(call))
      const toolset = yield* Toolset.make([eager], { middleware: refuse, gate: Gate.unguarded("unit test") })
      assert.strictEqual(yield* Effect.flip(toolset.call(request("eager", {}))), "no")
      assert.isFalse(touched)
    })
  )

  it.effect("carries tool, ids, worker path, parameters, start, attempt and metadata on the call (T2)", () =>
    Effect.gen(function* () {
      const seen: Array<ToolCall> = []
      const tool = Tool.make("look", {
        description: "Looks",
        parameters: Schema.Struct({ at: Schema.NumberFromString }),
        success: Schema.Void,
        handler: (params, call) => Effect.sync(() => void seen.push({ ...call, params }))
      })
      const toolset = yield* Toolset.make([tool], {
        middleware: DefaultStack.make({}),
        gate: Gate.unguarded("unit test")
      })
      yield* toolset.call({ ...request("look", { at: "7" }, silent), metadata: { by: "test" } })
      const [call] = seen
      assert.deepStrictEqual(
        { ...call, [Symbol.for("tollgate/gate/Passage")]: undefined },
        {
          [Symbol.for("tollgate/gate/Passage")]: undefined,
          kind: "tool",
          name: "look",
          tool: toolset.tools.get("look"),
          callId: "call_1",
          sessionId: "session_1",
          workerPath: ["root"],
          rawParams: { at: "7" },
          params: { at: 7 },
          startedAt: 0,
          attempt: 1,
          metadata: { by: "test" },
          sink: silent
        }
      )
    })
  )

  it.effect("hears what a streaming tool says while it runs; one that only returns needs nothing (T17)", () =>
    Effect.gen(function* () {
      const { heard, sink } = ear()
      const tool = Tool.make("build", {
        description: "Builds",
        parameters: Schema.Struct({}),
        success: Schema.Void,
        handler: (_, call) =>
          Effect.all([
            stdout(call, "compiling"),
            stderr(call, "careful"),
            progress(call, { current: 1, total: 2 }),
            fileChanged(call, { path: "a.js", change: "created", size: 3 })
          ])
      })
      const toolset = yield* Toolset.make([tool, Echo], {
        middleware: DefaultStack.make({ progress: yield* ProgressBoard, fileChanges: yield* FileChanges }),
        gate: Gate.unguarded("unit test")
      })
      assert.strictEqual((yield* toolset.call(request("build", {}, sink))).text, "done")
      assert.deepStrictEqual(
        heard.slice(1).map((event) => ({ ...event })),
        [
          { _tag: "ToolOutput", callId: "call_1", tool: "build", channel: "stdout", text: "compiling" },
          { _tag: "ToolOutput", callId: "call_1", tool: "build", channel: "stderr", text: "careful" },
          { _tag: "ToolProgressed", callId: "call_1", tool: "build", current: 1, total: 2 },
          { _tag: "FileChanged", callId: "call_1", tool: "build", path: "a.js", change: "created", size: 3 }
        ] as never
      )
      const changes = yield* FileChanges
      assert.deepInclude((yield* changes.recent())[0], { path: "a.js", change: "created", size: 3, tool: "build" })
      assert.strictEqual((yield* toolset.call(request("echo", { text: "plain" }))).text, "plain")
    }).pipe(Effect.provide(services))
  )

  it.effect("interrupts a call without swallowing it, and records a bug with its stack (T4)", () =>
    Effect.gen(function* () {
      const { heard, sink } = ear()
      const toolset = yield* Toolset.make(
        [running(Effect.interrupt, "gone"), running(Effect.die(new Error("oops")), "bug")],
        { middleware: DefaultStack.make({}), gate: Gate.unguarded("unit test") }
      )
      assert.isTrue(Exit.isInterrupted(yield* Effect.exit(toolset.call(request("gone", {})))))
      const error = yield* Effect.flip(toolset.call(request("bug", {}, sink)))
      assert.strictEqual(error.message, "tool bug crashed")
      const caught = heard.find((event) => event._tag === "ToolDefectCaught")
      assert.include(caught?._tag === "ToolDefectCaught" ? caught.detail : "", "Error: oops")
    })
  )

  it.effect("takes the user's timeout for a tool before the tool's own and the default, and 0 for none (T5)", () =>
    Effect.sync(() => {
      const detail = (tool: Tool.Any, timeouts: DefaultStack.DefaultStackOptions<never>["timeouts"]) =>
        DefaultStack.describe({ ...(timeouts && { timeouts }) }, tool).find(({ step }) => step === "timeout")?.detail
      const slow = { ...Echo, name: "slow", ...pick("10 seconds") }
      const limit = pick("30 seconds").timeout
      assert.strictEqual(detail(Echo, { limit }), "30 s per attempt")
      assert.strictEqual(detail(slow, { limit }), "10 s per attempt")
      assert.strictEqual(
        detail(slow, { limit, tools: { slow: { limit: pick("1 minute").timeout } } }),
        "1 min per attempt"
      )
      assert.isUndefined(detail({ ...slow, ...pick(0) }, { limit }))
      assert.strictEqual(detail(Echo, { idle: limit }), "30 s of silence")
    })
  )
})

const pick = (timeout: Parameters<typeof Tool.make>[1]["timeout"]) => {
  const { timeout: decoded } = Tool.make("t", {
    description: "",
    parameters: Schema.Struct({}),
    success: Schema.Void,
    timeout: timeout!,
    handler: () => Effect.void
  })
  return { timeout: decoded! }
}
