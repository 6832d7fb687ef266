import { assert, describe, it } from "@effect/vitest"
import { Cause, Clock, Effect, Exit, FastCheck, Fiber, FiberId, TestClock } from "effect"
import * as CommandCall from "../../src/middleware/CommandCall.ts"
import { commandSpan } from "../../src/telemetry/span.ts"
import { concurrency } from "../../src/middleware/concurrency.ts"
import { endOf } from "../../src/middleware/endOf.ts"
import { group } from "../../src/middleware/group.ts"
import { apply, stack, type Any, type Middleware } from "../../src/middleware/Middleware.ts"
import { rateLimit } from "../../src/middleware/rateLimit.ts"
import { backoff, retry } from "../../src/middleware/retry.ts"
import { named, stepOf, steps } from "../../src/middleware/Step.ts"
import { when } from "../../src/middleware/when.ts"
import { tracing } from "../tool/support.ts"
import { nested, recorder, traced } from "./support.ts"

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
      assert.deepStrictEqual(shown[1], { step: "network › rate limit", detail: "5 times per 1 s" })
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
      assert.deepInclude(error, { _tag: "RateLimited", name: "run", retryAfterMillis: 1000, retryable: true })
      assert.strictEqual(error.message, "command run may run 2 times per 1 s; it was not run. Try again in 1 s.")
      yield* TestClock.adjust("999 millis")
      assert.strictEqual((yield* Effect.flip(run(command))).retryAfterMillis, 1)
      yield* TestClock.adjust("1 millis")
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
      assert.strictEqual(stepOf(untyped(limit)).detail, "1 times per 1 s, waiting up to 1 s")
    })
  )

  it.effect.prop(
    "never lets more than the permits into any window, with or without waiting, whoever is interrupted (T18)",
    [
      FastCheck.integer({ min: 1, max: 5 }),
      FastCheck.array(FastCheck.record({ gap: FastCheck.integer({ min: 0, max: 700 }), gone: FastCheck.boolean() }), {
        maxLength: 16
      }),
      FastCheck.constantFrom(0, 400, 5000)
    ],
    ([permits, plan, maxWait]) =>
      Effect.gen(function* () {
        const limit = yield* rateLimit({ permits, per: "1 second", maxWait })
        const started: Array<number> = []
        const run = apply(limit, () => Effect.map(Clock.currentTimeMillis, (now) => void started.push(now)))
        for (const { gap, gone } of plan) {
          yield* TestClock.adjust(gap)
          const fiber = yield* Effect.fork(Effect.exit(run(command)))
          if (gone) yield* Effect.fork(Effect.delay(Fiber.interrupt(fiber), 200))
        }
        for (let second = 0; second < 7; second++) yield* TestClock.adjust("1 second")
        for (const from of started) {
          assert.isAtMost(started.filter((time) => time >= from && time < from + 1000).length, permits)
        }
      }),
    { fastCheck: { numRuns: 30 } }
  )

  it.effect("is one limit for all it is put around, and another where it is made again (T18, M3)", () =>
    Effect.gen(function* () {
      const make = rateLimit({ permits: 1, per: "1 second" })
      const other = CommandCall.make("other")
      const shared = apply(yield* make, () => Effect.succeed("ran"))
      yield* shared(command)
      assert.strictEqual((yield* Effect.flip(shared(other)))._tag, "RateLimited")
      const own = apply(yield* make, () => Effect.succeed("ran"))
      assert.strictEqual(yield* own(other), "ran")
    })
  )
})

describe("a limit of no number of calls", () => {
  it.effect("is refused when it is made, and never lets all through or hangs (T18)", () =>
    Effect.gen(function* () {
      for (const permits of [0, -1, Number.NaN, 1.5]) {
        for (const make of [concurrency(permits), Effect.asVoid(rateLimit({ permits, per: "1 second" }))]) {
          const exit = yield* Effect.exit(Effect.asVoid(make))
          assert.include(
            Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "made",
            `permits must be a whole number of at least 1, not ${permits}`
          )
        }
      }
    })
  )
})

describe("recovery", () => {
  const crashing = Effect.die(new Error("bug"))
  const beside = (other: Effect.Effect<never>) =>
    Effect.all([Effect.delay(crashing, 10), other], { concurrency: "unbounded", discard: true })

  it.effect("turns a defect among concurrent effects into a failure, whose stack goes to the log (T4, M2)", () =>
    Effect.gen(function* () {
      const { lines, recording } = recorder()
      const fiber = yield* Effect.fork(
        Effect.flip(recording(apply(CommandCall.recovery, () => beside(Effect.never))(command)))
      )
      yield* TestClock.adjust(10)
      assert.strictEqual((yield* Fiber.join(fiber)).message, "command run crashed")
      assert.include(lines[0]?.text, "bug")
    })
  )

  it.effect("tells a defect, a failure and an interruption by how it began (T4)", () =>
    Effect.gen(function* () {
      const ended = <E>(self: Effect.Effect<unknown, E>, interrupted = false) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.fork(self)
          yield* TestClock.adjust(interrupted ? 0 : 10)
          const exit = yield* interrupted ? Fiber.interrupt(fiber) : Fiber.await(fiber)
          return Exit.isFailure(exit) ? endOf(exit.cause) : "succeeded"
        })
      const messy = Effect.ensuring(Effect.never, crashing)
      assert.strictEqual(yield* ended(crashing), "crashed")
      assert.strictEqual(yield* ended(beside(Effect.never)), "crashed")
      assert.strictEqual(yield* ended(Effect.ensuring(Effect.fail("no"), crashing)), "crashed")
      assert.strictEqual(yield* ended(Effect.all([Effect.fail("no"), Effect.never], { concurrency: 2 })), "failed")
      assert.strictEqual(yield* ended(Effect.never, true), "interrupted")
      assert.strictEqual(yield* ended(messy, true), "interrupted")
      assert.strictEqual(yield* ended(Effect.all([Effect.never, messy], { concurrency: 2 }), true), "interrupted")
      assert.strictEqual(yield* ended(beside(Effect.never), true), "interrupted")
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
      assert.deepStrictEqual(stepOf(untyped(again)), { step: "retry", detail: "2 attempts, 1 s × 2 up to 1 min" })
    })
  )

  it.effect("waits as long as `Retry-After` says, and gives up at once where that is longer than its cap (T7)", () =>
    Effect.gen(function* () {
      const policy = backoff({ maxAttempts: 2, initialDelay: 10, multiplier: 2, maxDelay: "5 seconds", jitter: true })
      assert.strictEqual(policy.description, "2 attempts, 10 ms × 2 up to 5 s, jittered")
      const failing = (retryAfterMillis: number) => {
        let attempts = 0
        const run = apply(retry<CommandCall.CommandCall>(policy), () =>
          Effect.suspend(() =>
            ++attempts === 1 ? Effect.fail({ message: "slow down", retryable: true, retryAfterMillis }) : Effect.void
          )
        )
        return { run: run(command), attempts: () => attempts }
      }
      const patient = failing(3000)
      const fiber = yield* Effect.fork(patient.run)
      yield* TestClock.adjust("2900 millis")
      assert.strictEqual(patient.attempts(), 1)
      yield* TestClock.adjust("100 millis")
      yield* Fiber.join(fiber)
      const refused = failing(3_600_000)
      const error = yield* Effect.flip(refused.run)
      assert.deepInclude(error, { _tag: "RetriesExhausted", attempts: 1, retryAfterMillis: 3_600_000 })
      assert.strictEqual((error as Error).message, "command run failed after 1 attempt: slow down (retry after 1 h)")
      assert.strictEqual(refused.attempts(), 1)
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
