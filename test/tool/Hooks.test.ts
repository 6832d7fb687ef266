import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Either, Exit, FastCheck, Fiber, TestClock } from "effect"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import * as Hook from "../../src/tool/Hook.ts"
import type { ToolCall } from "../../src/tool/ToolCall.ts"
import { stack } from "../../src/middleware/Middleware.ts"
import { runHooks } from "../../src/gate/runHooks.ts"
import { validate } from "../../src/gate/validate.ts"
import * as Gate from "../../src/gate/Gate.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { Broken, ear, Echo, request, running, Write } from "./support.ts"

const { After, Before } = Hook

const sealed = (hooks: ReadonlyArray<Hook.Hook>, tools = [Echo, Write] as ReadonlyArray<typeof Echo | typeof Write>) =>
  Toolset.make([...tools], { middleware: DefaultStack.make({ hooks }), gate: Gate.unguarded("unit test") })

const target = FastCheck.constantFrom("*", "echo", "write")
const registered = FastCheck.array(FastCheck.tuple(FastCheck.boolean(), target), { maxLength: 10 })

describe("hooks", () => {
  it.effect.prop(
    "run global before specific in the order given, and after the call in the mirrored order (T8)",
    [registered],
    ([list]) =>
      Effect.gen(function* () {
        const log: Array<string> = []
        const say = (text: string) => Effect.sync(() => log.push(text))
        const hooks = list.map(([before, tool], index) =>
          before
            ? Hook.pre(tool, () => Effect.as(say(`pre ${tool} ${index}`), Before.Continue()))
            : Hook.post(tool, () => Effect.as(say(`post ${tool} ${index}`), After.Keep()))
        )
        const toolset = yield* sealed(hooks)
        yield* toolset.call(request("echo", { text: "hi" }))
        const of = (before: boolean) => {
          const all = list.map(([isPre, tool], index) => ({
            isPre,
            tool,
            text: `${isPre ? "pre" : "post"} ${tool} ${index}`
          }))
          const mine = all.filter(({ isPre }) => isPre === before)
          return [...mine.filter(({ tool }) => tool === "*"), ...mine.filter(({ tool }) => tool === "echo")].map(
            ({ text }) => text
          )
        }
        assert.deepStrictEqual(log, [...of(true), ...of(false).toReversed()])
      })
  )

  it.effect("mirror each other where every hook comes as a pair (T8)", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const say = (text: string) => Effect.sync(() => log.push(text))
      const pair = (tool: string, name: string) => [
        Hook.pre(tool, () => Effect.as(say(name), Before.Continue())),
        Hook.post(tool, () => Effect.as(say(name), After.Keep()))
      ]
      const toolset = yield* sealed([...pair("echo", "a"), ...pair("*", "b"), ...pair("echo", "c"), ...pair("*", "d")])
      yield* toolset.call(request("echo", { text: "hi" }))
      assert.deepStrictEqual(log, ["b", "d", "a", "c", "c", "a", "d", "b"])
    })
  )

  it.effect("replace the parameters, which are validated again and seen by the hooks that follow (T8, T9)", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const replacing = (parameters: unknown) =>
        sealed([
          Hook.pre("*", () => Effect.succeed(Before.Replace({ parameters }))),
          Hook.pre("echo", (call: ToolCall) => Effect.sync(() => (seen.push(call.rawParams), Before.Continue())))
        ])
      const { heard, sink } = ear()
      const good = yield* replacing({ text: "other" })
      assert.strictEqual((yield* good.call(request("echo", { text: "hi" }, sink))).text, "other")
      assert.deepInclude(heard[0], { _tag: "HookIntervened", hook: "pre *", action: "replaced", event: "pre" })
      const bad = yield* replacing({ text: 7 })
      const error = yield* Effect.flip(bad.call(request("echo", { text: "hi" })))
      assert.strictEqual(error._tag, "ParametersInvalid")
      assert.deepStrictEqual(seen, [{ text: "other" }, { text: 7 }])
    })
  )

  it.effect("replace decoded parameters by ones that are decoded again, wherever the hooks stand (T8, T9)", () =>
    Effect.gen(function* () {
      const hooks = Hook.hooksOf(
        [Hook.pre("*", () => Effect.succeed(Before.Replace({ parameters: { text: "new" } })))],
        "echo"
      )
      const toolset = yield* Toolset.make([Echo], {
        middleware: stack(validate(), runHooks(hooks)),
        gate: Gate.unguarded("unit test")
      })
      assert.strictEqual((yield* toolset.call(request("echo", { text: "old" }))).text, "new")
    })
  )

  it.effect("abort with a reason, or answer in place of the tool (T8)", () =>
    Effect.gen(function* () {
      const { heard, sink, tags } = ear()
      const aborting = yield* sealed([
        Hook.pre("write", () => Effect.succeed(Before.Abort({ reason: "the tree is frozen" })), { name: "freeze" }),
        Hook.pre("echo", () => Effect.succeed(Before.Abort({ reason: "known", result: { cached: true } })))
      ])
      const error = yield* Effect.flip(aborting.call(request("write", { text: "x" }, sink)))
      assert.strictEqual(error._tag, "HookAborted")
      assert.strictEqual(error.message, 'write was not run: the hook "freeze" stopped it: the tree is frozen')
      assert.deepStrictEqual(tags(), ["HookIntervened"])
      assert.deepInclude(heard[0], { action: "aborted", reason: "the tree is frozen" })
      const answered = yield* aborting.call(request("echo", { text: "x" }))
      assert.deepStrictEqual([answered.value, answered.text], [{ cached: true }, '{"cached":true}'])
      const silent = yield* sealed([Hook.pre("*", () => Effect.succeed(Before.Abort({ reason: "  " })))])
      assert.include((yield* Effect.flip(silent.call(request("echo", { text: "" })))).message, "no reason given")
    })
  )

  it.effect("see the outcome afterwards and may replace it, fail it, or turn a failure into a result (T8)", () =>
    Effect.gen(function* () {
      const outcomes: Array<string> = []
      const look = Hook.post("*", (_, outcome) =>
        Effect.sync(() => {
          outcomes.push(Either.match(outcome, { onLeft: ({ _tag }) => _tag, onRight: ({ text }) => text }))
          return After.Keep()
        })
      )
      const run = (tools: ReadonlyArray<ReturnType<typeof running>>, ...hooks: ReadonlyArray<Hook.Hook>) =>
        Effect.flatMap(
          Toolset.make(tools, {
            middleware: DefaultStack.make({ hooks: [look, ...hooks] }),
            gate: Gate.unguarded("unit test")
          }),
          (toolset) => Effect.either(toolset.call(request("work", {})))
        )
      const fine = [running(Effect.succeed("fine"))]
      const broken = [running(new Broken({ retryable: false }))]
      const replaced = yield* run(
        fine,
        Hook.post("work", () => Effect.succeed(After.Replace({ result: "better" })))
      )
      assert.strictEqual(Either.getOrThrow(replaced).text, "better")
      const failed = yield* run(
        fine,
        Hook.post("work", () => Effect.succeed(After.Fail({ reason: "has a secret" })))
      )
      assert.include(
        Either.getOrThrow(Either.flip(failed)).message,
        'the hook "post work" rejected the outcome: has a secret'
      )
      const saved = yield* run(
        broken,
        Hook.post("work", () => Effect.succeed(After.Replace({ result: "a fallback" })))
      )
      assert.strictEqual(Either.getOrThrow(saved).text, "a fallback")
      const kept = yield* run(broken)
      assert.strictEqual(Either.getOrThrow(Either.flip(kept))._tag, "Broken")
      assert.deepStrictEqual(outcomes, ["better", "HookAborted", "a fallback", "Broken"])
    })
  )

  it.effect("that crash, fail or hang fail the call with the reason, or are passed over as they declare (T8)", () =>
    Effect.gen(function* () {
      const bad: ReadonlyArray<readonly [string, Hook.PreHook["run"]]> = [
        ["it crashed: oops", () => Effect.die(new Error("oops"))],
        [
          "it crashed: thrown",
          () => {
            throw new Error("thrown")
          }
        ],
        ["it crashed: text", () => Effect.die("text")],
        ["no disk", () => Effect.fail({ message: "no disk" })],
        ["it was interrupted", () => Effect.interrupt],
        [
          "it did not answer within 3 s",
          () => Effect.uninterruptible(Effect.as(Effect.sleep("1 hour"), Before.Continue()))
        ]
      ]
      for (const [reason, run] of bad) {
        const failing = yield* sealed([Hook.pre("*", run, { name: "check", timeout: "3 seconds" })])
        const { sink, tags } = ear()
        const fiber = yield* Effect.fork(Effect.flip(failing.call(request("echo", { text: "hi" }, sink))))
        yield* TestClock.adjust("3 seconds")
        const error = yield* Fiber.join(fiber)
        assert.strictEqual(
          error.message,
          `The hook "check" of echo failed, so it was not run: ${reason}. The user can fix it or set onFailure to "skip".`
        )
        assert.deepStrictEqual(tags(), ["HookIntervened"])
        const { heard, sink: other } = ear()
        const skipping = yield* sealed([Hook.pre("*", run, { timeout: "3 seconds", onFailure: "skip" })])
        const second = yield* Effect.fork(skipping.call(request("echo", { text: "hi" }, other)))
        yield* TestClock.adjust("3 seconds")
        assert.strictEqual((yield* Fiber.join(second)).text, "hi")
        assert.deepInclude(heard[0], { _tag: "HookIntervened", action: "skipped", reason })
      }
      const after = yield* sealed([Hook.post("*", () => Effect.die("text"))])
      const error = yield* Effect.flip(after.call(request("echo", { text: "hi" })))
      assert.include(error.message, "failed, after it ran: it crashed: text")
    })
  )

  it.effect("are interrupted with their call, and do not see bugs of tools (T4, T8)", () =>
    Effect.gen(function* () {
      let seen = false
      const waiting = yield* sealed([Hook.pre("*", () => Effect.never)])
      const fiber = yield* Effect.fork(waiting.call(request("echo", { text: "hi" })))
      yield* Effect.yieldNow()
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(fiber)))
      const bug = yield* Toolset.make([running(Effect.die("bug"))], {
        middleware: DefaultStack.make({
          hooks: [Hook.post("*", () => Effect.sync(() => ((seen = true), After.Keep())))]
        }),
        gate: Gate.unguarded("unit test")
      })
      assert.strictEqual((yield* Effect.flip(bug.call(request("work", {}))))._tag, "Crashed")
      assert.isFalse(seen)
    })
  )

  it.effect("may need services, which the toolset then needs (T8)", () =>
    Effect.gen(function* () {
      class Calendar extends Context.Tag("test/Calendar")<Calendar, { readonly frozen: boolean }>() {}
      const hook = Hook.pre("*", () =>
        Effect.map(Calendar, ({ frozen }) => (frozen ? Before.Abort({ reason: "frozen" }) : Before.Continue()))
      )
      const toolset = yield* Toolset.make([Echo], {
        middleware: DefaultStack.make({ hooks: [hook] }),
        gate: Gate.unguarded("unit test")
      })
      const call: Effect.Effect<unknown, { readonly _tag: string }, Calendar> = toolset.call(
        request("echo", { text: "hi" })
      )
      assert.isTrue(Exit.isFailure(yield* Effect.exit(Effect.provideService(call, Calendar, { frozen: true }))))
      assert.isTrue(Exit.isSuccess(yield* Effect.exit(Effect.provideService(call, Calendar, { frozen: false }))))
    })
  )
})
