import { assert, describe, it } from "@effect/vitest"
import { type Clock, Duration, Effect, Exit, Fiber, Schema, TestClock } from "effect"
import { deadline } from "../../src/middleware/deadline.ts"
import { unsafeMonotonicMillis } from "../../src/system/monotonic.ts"
import { backoff } from "../../src/middleware/retry.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { progress } from "../../src/tool/ToolCall.ts"
import * as Gate from "../../src/gate/Gate.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { ear, request, running } from "./support.ts"

describe("timeout", () => {
  it.effect("gives every attempt a fresh deadline and counts the attempts (T5, T7)", () =>
    Effect.gen(function* () {
      const { sink, tags } = ear()
      let interrupted = 0
      const tool = running(Effect.onInterrupt(Effect.never, () => Effect.sync(() => ++interrupted)))
      const retry = backoff({
        maxAttempts: 2,
        initialDelay: "1 second",
        multiplier: 1,
        maxDelay: "1 second",
        jitter: false
      })
      const toolset = yield* Toolset.make([tool], {
        middleware: DefaultStack.make({ retry, timeouts: { limit: Duration.seconds(5) } }),
        gate: Gate.unguarded("unit test")
      })
      const fiber = yield* Effect.fork(Effect.flip(toolset.call(request("work", {}, sink))))
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual(interrupted, 1)
      yield* TestClock.adjust("5 seconds")
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(
        error.message,
        "tool work failed after 2 attempts: work did not finish within 5 s and was interrupted"
      )
      assert.deepStrictEqual(tags().filter((tag) => tag === "ToolCallRetried").length, 1)
    })
  )

  it.effect("ends a tool that is silent for too long, and lets one go on that shows signs of life (T5)", () =>
    Effect.gen(function* () {
      const chatty = Tool.make("chatty", {
        description: "Talks, then falls silent",
        parameters: Schema.Struct({}),
        success: Schema.Void,
        idleTimeout: "2 seconds",
        timeout: "1 hour",
        handler: (_, call) =>
          Effect.zipRight(
            Effect.repeatN(Effect.zipRight(Effect.sleep("1500 millis"), progress(call, { label: "on" })), 3),
            Effect.never
          )
      })
      const toolset = yield* Toolset.make([chatty], {
        middleware: DefaultStack.make({}),
        gate: Gate.unguarded("unit test")
      })
      const fiber = yield* Effect.fork(Effect.flip(toolset.call(request("chatty", {}))))
      yield* TestClock.adjust("7900 millis")
      assert.isNull(yield* Effect.map(fiber.poll, (exit) => (exit._tag === "None" ? null : exit)))
      yield* TestClock.adjust("100 millis")
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(error.message, "chatty was silent for 2 s and was interrupted")
    })
  )

  it.effect("tells when a tool that ignored its interruption ends after all (T5)", () =>
    Effect.gen(function* () {
      const { sink, tags } = ear()
      const stubborn = { ...running(Effect.uninterruptible(Effect.sleep("10 seconds"))), timeout: Duration.seconds(1) }
      const toolset = yield* Toolset.make([stubborn], {
        middleware: DefaultStack.make({}),
        gate: Gate.unguarded("unit test")
      })
      const fiber = yield* Effect.fork(Effect.flip(toolset.call(request("work", {}, sink))))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "ToolTimedOut")
      assert.notInclude(tags(), "ToolStragglerEnded")
      yield* TestClock.adjust("9 seconds")
      assert.include(tags(), "ToolStragglerEnded")
    })
  )
})

describe("deadline", () => {
  const options = { limit: Duration.seconds(1), onTimeout: () => "late" as const }

  it.effect("gives what is there at once and passes failures and defects (T5)", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* deadline(Effect.succeed(1), options), 1)
      assert.strictEqual(
        yield* deadline(
          Effect.sync(() => Math.max(1, 2)),
          options
        ),
        2
      )
      assert.strictEqual(yield* Effect.flip(deadline(Effect.fail("no"), options)), "no")
      const fiber = yield* Effect.fork(
        Effect.exit(deadline(Effect.zipRight(Effect.sleep("500 millis"), Effect.die("bug")), options))
      )
      yield* TestClock.adjust("500 millis")
      assert.deepStrictEqual(yield* Fiber.join(fiber), Exit.die("bug"))
    })
  )

  it.effect("interrupts what it runs when the caller is interrupted, and awaits it (T5)", () =>
    Effect.gen(function* () {
      let cleaned = false
      const slow = Effect.onInterrupt(Effect.never, () => Effect.sync(() => (cleaned = true)))
      const fiber = yield* Effect.fork(deadline(slow, options))
      yield* TestClock.adjust("10 millis")
      yield* Fiber.interrupt(fiber)
      assert.isTrue(cleaned)
    })
  )

  it.effect("measures silence on a clock that nobody can set (T5)", () =>
    Effect.gen(function* () {
      const clock = yield* Effect.clock
      const day = Duration.toMillis("1 day")
      const outcome = (jump: number) =>
        Effect.gen(function* () {
          let wall = 0
          const now = () => clock.unsafeCurrentTimeMillis() + wall
          const jumping: Clock.Clock = Object.assign(Object.create(clock), {
            unsafeCurrentTimeMillis: now,
            currentTimeMillis: Effect.sync(now)
          })
          let ended = false
          const start = unsafeMonotonicMillis(jumping)
          const silent = deadline(Effect.never, {
            idle: { after: Duration.seconds(2), lastActivity: () => start + 500 },
            onTimeout: (which) => which
          })
          yield* Effect.flip(silent).pipe(
            Effect.zipRight(Effect.sync(() => (ended = true))),
            Effect.withClock(jumping),
            Effect.fork
          )
          yield* TestClock.adjust("1 second")
          wall = jump
          yield* TestClock.adjust("1400 millis")
          const early = ended
          yield* TestClock.adjust("200 millis")
          return { early, ended }
        })
      const expected = { early: false, ended: true }
      assert.deepStrictEqual([yield* outcome(day), yield* outcome(-day)], [expected, expected])
    })
  )
})
