import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, TestClock } from "effect"
import * as BackgroundCommands from "../../src/process/BackgroundCommands.ts"

describe("a command in the background", () => {
  it.scoped("that is told of while its session closes ends with it, and its end is told (T14, R9)", () =>
    Effect.gen(function* () {
      const commands = yield* BackgroundCommands.make
      const begun = yield* Deferred.make<void>()
      const telling = yield* Deferred.make<void>()
      const told: Array<string | undefined> = []
      const close = yield* commands.open("s", ({ end }) => {
        told.push(end?.reason)
        return Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(telling))
      })
      let running = 0
      const run = () =>
        Effect.acquireUseRelease(
          Effect.sync(() => void running++),
          () => Effect.never,
          () => Effect.sync(() => void running--)
        )
      const starting = yield* Effect.fork(commands.start("s", { command: "sleep 60", directory: "/" }, run))
      yield* Deferred.await(begun)
      const closing = yield* Effect.fork(close)
      yield* TestClock.adjust(1)
      yield* Deferred.succeed(telling, undefined)
      yield* Fiber.join(starting)
      yield* Fiber.join(closing)
      assert.strictEqual(running, 0)
      assert.deepStrictEqual(told, [undefined, "stopped; its processes were ended"])
    })
  )

  it.scoped("moves behind its call also where another one cannot, which is said where none can (U8)", () =>
    Effect.gen(function* () {
      const commands = yield* BackgroundCommands.make
      const close = yield* commands.open("s", () => Effect.void)
      const moved: Array<string> = []
      yield* commands.foreground("s", "held", new BackgroundCommands.BackgroundRefused({ reason: "It stays." }))
      assert.strictEqual((yield* Effect.flip(commands.detach("s"))).reason, "It stays.")
      yield* commands.foreground(
        "s",
        "free",
        Effect.sync(() => void moved.push("free"))
      )
      yield* commands.detach("s")
      assert.deepStrictEqual(moved, ["free"])
      yield* close
    })
  )
})
