import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { contained } from "../../src/runtime/contained.ts"

describe("a bug behind a command", () => {
  for (const [how, bug] of [
    ["dies", Effect.die(new Error("a bug"))],
    ["throws", Effect.sync(() => assert.fail("a bug"))],
    ["interrupts itself", Effect.interrupt]
  ] as const)
    it.effect(`that ${how} rejects the command and nothing else (R3)`, () =>
      Effect.gen(function* () {
        const rejected: Array<string> = []
        const reject = (_: object, reason: string) => Effect.sync(() => void rejected.push(reason))
        const exit = yield* Effect.exit(contained(() => bug, reject)({ _tag: "SubmitPrompt" }))
        assert.isTrue(Exit.isSuccess(exit))
        assert.deepStrictEqual(rejected, ["SubmitPrompt crashed. This is a bug in Tollgate; see the log."])
      })
    )

  it.effect("is not what an interruption from outside is taken for (R3)", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const perform = () => Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never)
      const running = yield* Effect.fork(contained(perform, () => Effect.die("rejected"))({ _tag: "SubmitPrompt" }))
      yield* Deferred.await(begun)
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(running)))
    })
  )
})
