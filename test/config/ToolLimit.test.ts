import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Fiber, Schema, TestClock } from "effect"
import { ToolLimit, toLimits } from "../../src/config/ToolLimit.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import * as Tool from "../../src/tool/Tool.ts"
import * as Gate from "../../src/gate/Gate.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { Echo, request } from "../tool/support.ts"

const decode = Schema.decodeUnknownEither(ToolLimit)

const slow = (name: string) =>
  Tool.make(name, {
    description: "Takes a second",
    parameters: Schema.Struct({}),
    success: Schema.String,
    handler: () => Effect.delay(Effect.succeed(name), "1 second")
  })

const tools = [Echo, slow("grep"), slow("delegate")] as const

const limited = (...written: ReadonlyArray<unknown>) =>
  Effect.gen(function* () {
    const limits = yield* Effect.forEach(written, (one) => Effect.flatMap(decode(one), toLimits))
    return yield* Toolset.make(tools, {
      middleware: DefaultStack.make({ limits: limits.flat() }),
      gate: Gate.unguarded("unit test")
    })
  })

describe("limits of the configuration", () => {
  it.effect("let so many calls of their tools start in a window, all tools of one entry together (T18)", () =>
    Effect.gen(function* () {
      const toolset = yield* limited({ tools: ["echo", "grep"], rate: { calls: 2, per: "1 minute" } })
      const echo = () => toolset.call(request("echo", { text: "a" }))
      yield* echo()
      const grep = yield* Effect.fork(toolset.call(request("grep", {})))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(grep)
      const refused = yield* Effect.flip(echo())
      assert.match(
        (refused as Error).message,
        /^tool echo may run 2 times per 1 min; it was not run\. Try again in \d+ s/
      )
      yield* TestClock.adjust("1 minute")
      yield* echo()
    })
  )

  it.effect("let calls wait where they say for how long (T18)", () =>
    Effect.gen(function* () {
      const toolset = yield* limited({ tools: "*", rate: { calls: 1, per: "10 seconds", maxWait: "1 minute" } })
      yield* toolset.call(request("echo", { text: "a" }))
      const second = yield* Effect.fork(toolset.call(request("echo", { text: "b" })))
      yield* TestClock.adjust("9 seconds")
      assert.isTrue((yield* Fiber.poll(second))._tag === "None")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(second)).text, "b")
    })
  )

  it.effect("let so many run at a time, and delegate, which waits for others, is not among them (T18)", () =>
    Effect.gen(function* () {
      const toolset = yield* limited({ tools: "*", concurrency: 1 })
      const all = ["grep", "grep", "delegate"].map((name) => toolset.call(request(name, {})))
      const fibers = yield* Effect.forEach(all, Effect.fork)
      yield* TestClock.adjust("1 second")
      const done = yield* Effect.forEach(fibers, (fiber) =>
        Effect.map(Fiber.poll(fiber), ({ _tag }) => _tag === "Some")
      )
      assert.deepStrictEqual(done, [true, false, true])
      yield* TestClock.adjust("1 second")
      yield* Fiber.joinAll(fibers)
    })
  )

  it("are refused where they limit nothing or would wait for themselves (T18)", () => {
    for (const [written, problem] of [
      [{ tools: "*" }, "set rate, concurrency or both"],
      [{ tools: ["grep", "delegate"], concurrency: 2 }, "limit them with maxWorkers"],
      [{ tools: [], concurrency: 2 }, "tools"],
      [{ tools: "*", concurrency: 0 }, "positive"]
    ] as const) {
      const decoded = decode(written)
      assert.isTrue(Either.isLeft(decoded))
      if (Either.isLeft(decoded)) assert.include(decoded.left.message, problem)
    }
    assert.isTrue(Either.isRight(decode({ tools: ["delegate"], rate: { calls: 1, per: 1000 } })))
  })
})
