import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, FastCheck, Fiber, FiberId, TestClock } from "effect"
import * as CommandCall from "../../src/middleware/CommandCall.ts"
import { commandSpan } from "../../src/telemetry/span.ts"
import { concurrency } from "../../src/middleware/concurrency.ts"
import { group } from "../../src/middleware/group.ts"
import { apply, stack, type Any, type Middleware } from "../../src/middleware/Middleware.ts"
import { perName } from "../../src/middleware/perName.ts"
import { rateLimit } from "../../src/middleware/rateLimit.ts"
import { backoff, retry } from "../../src/middleware/retry.ts"
import { named, stepOf, steps } from "../../src/middleware/Step.ts"
import { when } from "../../src/middleware/when.ts"
import { tracing } from "../tool/support.ts"
import { nested, traced } from "./support.ts"

const command = CommandCall.make("run")
const untyped = (middleware: unknown) => middleware as Any

describe("when", () => {
  it.effect("applies a middleware only where the predicate holds (T18, M3)", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const loud = when((call: string) => call === "loud", traced(log)("trace"))
      const run = apply(loud, (call: string) => Effect.sync(() => log.push(call)))
      yield* run("quiet")
      yield* run("loud")
      assert.deepStrictEqual(log, ["quiet", ">trace", "loud", "<trace"])
      assert.deepStrictEqual(steps(untyped(loud)), [{ step: "when › middleware", detail: "" }])
    })
  )
})

describe("group", () => {
  it.effect("is several middleware under one name, in order (T18, M3)", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const trace = traced(log)
      const limit = yield* rateLimit({ permits: 5, per: "1 second" })
      const network = group("network", trace("a"), limit, stack(trace("b"), trace("c")))
      yield* apply(network, () => Effect.void)(command)
      assert.deepStrictEqual(log, nested(["a", "b", "c"]))
      const shown = steps(untyped(network))
      assert.deepStrictEqual(shown[1], { step: "network › rate limit", detail: "5 times per 1s" })
      assert.strictEqual(shown.length, 4)
    })
  )

  it.effect("names a stack member by member and a single one as it is (T18)", () =>
    Effect.sync(() => {
      const one: Middleware<unknown> = (call, next) => next(call)
      assert.deepStrictEqual(stepOf(untyped(one)), { step: "one", detail: "" })
      assert.deepStrictEqual(steps(untyped(named("alone", "d", one))), [{ step: "alone", detail: "d" }])
      assert.deepStrictEqual(steps(untyped(named("both", "", stack(one, one)))), [
        { step: "both › one", detail: "" },
        { step: "both › one", detail: "" }
      ])
    })
  )
})

describe("concurrency", () => {
  it.effect("lets so many run at a time and the next when one ends, interruption included (T18)", () =>
    Effect.gen(function* () {
      let running = 0
      let most = 0
      const two = yield* concurrency(2)
      const work = apply(two, () =>
        Effect.acquireUseRelease(
          Effect.sync(() => {
            running++
            most = Math.max(most, running)
          }),
          () => Effect.sleep("1 second"),
          () => Effect.sync(() => running--)
        )
      )
      const fibers = yield* Effect.forEach(["a", "b", "c", "d"], (call) => Effect.fork(work(call)))
      yield* TestClock.adjust("500 millis")
      assert.strictEqual(running, 2)
      yield* Fiber.interrupt(fibers[0]!)
      yield* TestClock.adjust("3 seconds")
      yield* Fiber.join(fibers[3]!)
      assert.strictEqual(most, 2)
      assert.strictEqual(running, 0)
    })
  )
})

describe("concurrency, whoever is interrupted and when,", () => {
  const step = FastCheck.record({
    start: FastCheck.integer({ min: 0, max: 20 }),
    work: FastCheck.integer({ min: 0, max: 20 }),
    interruptAt: FastCheck.option(FastCheck.integer({ min: 0, max: 60 }), { nil: undefined })
  })

  it.effect.prop(
    "never lets more run than it may, and loses no permit (T18)",
    [FastCheck.integer({ min: 1, max: 3 }), FastCheck.array(step, { maxLength: 12 })],
    ([permits, plan]) =>
      Effect.gen(function* () {
        const limit = yield* concurrency(permits)
        let running = 0
        let most = 0
        const work = (millis: number) =>
          apply(limit, () =>
            Effect.acquireUseRelease(
              Effect.sync(() => {
                most = Math.max(most, ++running)
              }),
              () => Effect.sleep(millis),
              () => Effect.sync(() => running--)
            )
          )("call")
        const fibers = yield* Effect.forEach(plan, ({ interruptAt, start, work: millis }) =>
          Effect.gen(function* () {
            const fiber = yield* Effect.fork(Effect.delay(work(millis), start))
            if (interruptAt !== undefined) yield* Effect.fork(Effect.delay(Fiber.interrupt(fiber), interruptAt))
            return fiber
          })
        )
        for (let tick = 0; tick < 15; tick++) yield* TestClock.adjust(4)
        yield* TestClock.adjust(300)
        yield* Effect.forEach(fibers, Fiber.await)
        assert.isAtMost(most, permits)
        assert.strictEqual(running, 0)
        const after = yield* Effect.forEach(Array.from({ length: permits }), () => Effect.fork(work(1000)))
        yield* TestClock.adjust(0)
        assert.strictEqual(running, permits)
        yield* TestClock.adjust(1000)
        yield* Effect.forEach(after, Fiber.join)
      }),
    { fastCheck: { numRuns: 25 } }
  )

  it.effect("gives the permit on when it is interrupted in the very moment it gets it (T18)", () =>
    Effect.gen(function* () {
      const limit = yield* concurrency(1)
      const work = (end: Effect.Effect<unknown>) => apply(limit, () => end)("call")
      const go = yield* Effect.makeLatch()
      const interrupt: { now: () => void } = { now: () => undefined }
      yield* Effect.fork(
        work(
          Effect.zipRight(
            go.await,
            Effect.sync(() => interrupt.now())
          )
        )
      )
      yield* TestClock.adjust(0)
      const second = yield* Effect.fork(work(Effect.never))
      const third = yield* Effect.fork(work(Effect.succeed("third")))
      yield* TestClock.adjust(0)
      // The signal is on its way when the first call, in the same step, hands its permit on.
      interrupt.now = () => second.unsafeInterruptAsFork(FiberId.none)
      yield* go.open
      yield* Fiber.join(third)
    })
  )
})

describe("rateLimit", () => {
  it.effect("refuses what comes too fast and says when to try again (T18)", () =>
    Effect.gen(function* () {
      const limit = yield* rateLimit({ permits: 2, per: "1 second" })
      const run = apply(limit, () => Effect.succeed("ran"))
      yield* run(command)
      yield* run(command)
      const error = yield* Effect.flip(run(command))
      assert.deepInclude(error, { _tag: "RateLimited", name: "run", retryAfterMillis: 500, retryable: true })
      assert.strictEqual(error.message, "command run may run 2 times per 1s; it was not run. Try again in 500ms.")
      yield* TestClock.adjust("500 millis")
      assert.strictEqual(yield* run(command), "ran")
    })
  )

  it.effect("waits where it may, and gives the turn back when interrupted (T18)", () =>
    Effect.gen(function* () {
      const limit = yield* rateLimit({ permits: 1, per: "1 second", maxWait: "1 second" })
      const run = apply(limit, () => Effect.succeed("ran"))
      yield* run(command)
      const waiting = yield* Effect.fork(run(command))
      yield* TestClock.adjust("100 millis")
      assert.strictEqual((yield* Effect.flip(run(command))).retryAfterMillis, 900)
      yield* Fiber.interrupt(waiting)
      const next = yield* Effect.fork(run(command))
      yield* TestClock.adjust("900 millis")
      assert.strictEqual(yield* Fiber.join(next), "ran")
      assert.strictEqual(stepOf(untyped(limit)).detail, "1 times per 1s, waiting up to 1s")
    })
  )

  it.effect.prop(
    "never lets more than twice the permits into any window and no more than the permits at once (T18)",
    [
      FastCheck.integer({ min: 1, max: 5 }),
      FastCheck.array(FastCheck.integer({ min: 0, max: 700 }), { maxLength: 40 })
    ],
    ([permits, gaps]) =>
      Effect.gen(function* () {
        const limit = yield* rateLimit({ permits, per: "1 second" })
        const run = apply(limit, () => Effect.void)
        const started: Array<number> = []
        let now = 0
        for (const gap of gaps) {
          yield* TestClock.adjust(gap)
          now += gap
          if (Exit.isSuccess(yield* Effect.exit(run(command)))) started.push(now)
        }
        for (const from of started) {
          assert.isAtMost(started.filter((time) => time === from).length, permits)
          assert.isAtMost(started.filter((time) => time >= from && time < from + 1000).length, permits * 2)
        }
      })
  )

  it.effect("is one limit for all it is put around, or one for each name (T18, M3)", () =>
    Effect.gen(function* () {
      const make = rateLimit({ permits: 1, per: "1 second" })
      const other = CommandCall.make("other")
      const shared = apply(yield* make, () => Effect.succeed("ran"))
      yield* shared(command)
      assert.strictEqual((yield* Effect.flip(shared(other)))._tag, "RateLimited")
      const own = yield* perName(make)
      const each = apply(own, () => Effect.succeed("ran"))
      assert.strictEqual(yield* each(command), "ran")
      assert.strictEqual(yield* each(other), "ran")
      assert.strictEqual((yield* Effect.flip(each(command)))._tag, "RateLimited")
      assert.deepStrictEqual(stepOf(untyped(own)), { step: "rate limit", detail: "1 times per 1s, each by itself" })
    })
  )
})

describe("retry", () => {
  it.effect("repeats a command as the policy says and prints the policy (T7, M3)", () =>
    Effect.gen(function* () {
      const seen: Array<number> = []
      const policy = backoff({
        maxAttempts: 2,
        initialDelay: "1 second",
        multiplier: 2,
        maxDelay: "1 minute",
        jitter: false,
        retryable: (error) => error === "busy"
      })
      const again = retry<CommandCall.CommandCall>(policy)
      const run = apply(again, (call: CommandCall.CommandCall) =>
        Effect.zipRight(
          Effect.sync(() => seen.push(call.attempt)),
          Effect.fail("busy")
        )
      )
      const fiber = yield* Effect.fork(Effect.flip(run(command)))
      yield* TestClock.adjust("1 second")
      const error = yield* Fiber.join(fiber)
      assert.strictEqual((error as Error).message, "command run failed after 2 attempts: busy")
      assert.deepStrictEqual(seen, [1, 2])
      assert.deepStrictEqual(stepOf(untyped(again)), { step: "retry", detail: "2 attempts, 1s × 2 up to 1m" })
    })
  )

  it.effect("waits as long as `Retry-After` says, within its cap (T7)", () =>
    Effect.gen(function* () {
      const policy = backoff({ maxAttempts: 2, initialDelay: 10, multiplier: 2, maxDelay: "5 seconds", jitter: true })
      assert.strictEqual(policy.description, "2 attempts, 10ms × 2 up to 5s, jittered")
      const failing = (retryAfterMillis: number) => {
        let attempts = 0
        const run = apply(retry<CommandCall.CommandCall>(policy), () =>
          Effect.suspend(() => (++attempts === 1 ? Effect.fail({ retryable: true, retryAfterMillis }) : Effect.void))
        )
        return { run: run(command), attempts: () => attempts }
      }
      const patient = failing(3000)
      const fiber = yield* Effect.fork(patient.run)
      yield* TestClock.adjust("2900 millis")
      assert.strictEqual(patient.attempts(), 1)
      yield* TestClock.adjust("100 millis")
      yield* Fiber.join(fiber)
      const capped = failing(3_600_000)
      const second = yield* Effect.fork(capped.run)
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(second)
      assert.strictEqual(capped.attempts(), 2)
    })
  )

  it.effect("never repeats after a defect or an interruption (T7)", () =>
    Effect.gen(function* () {
      const policy = backoff({
        maxAttempts: 5,
        initialDelay: 0,
        multiplier: 1,
        maxDelay: 0,
        jitter: false,
        retryable: () => true
      })
      let attempts = 0
      const ending = (end: Effect.Effect<never>) =>
        apply(retry<CommandCall.CommandCall>(policy), () =>
          Effect.zipRight(
            Effect.sync(() => ++attempts),
            end
          )
        )(command)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(ending(Effect.die("bug")))))
      assert.isTrue(Exit.isInterrupted(yield* Effect.exit(ending(Effect.interrupt))))
      assert.strictEqual(attempts, 2)
    })
  )
})

describe("span", () => {
  it.effect("puts one span around a command (M3)", () =>
    Effect.gen(function* () {
      const { spans, tracer } = tracing()
      yield* Effect.withTracer(apply(commandSpan, () => Effect.void)(command), tracer)
      assert.deepStrictEqual(
        spans.map(({ attributes, name }) => [name, attributes.get("tollgate.command")]),
        [["command run", "run"]]
      )
    })
  )
})
