import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Layer, Ref } from "effect"
import { Approvals } from "../../src/approval/Approvals.ts"
import { approve } from "../../src/approval/approve.ts"
import * as DefaultStack from "../../src/tool/DefaultStack.ts"
import { loopGuard } from "../../src/tool/loopGuard.ts"
import * as Toolset from "../../src/tool/Toolset.ts"
import { Broken, Echo, request, running } from "./support.ts"

const sealed = (
  options: Parameters<typeof loopGuard>[0],
  tools: ReadonlyArray<typeof Echo | ReturnType<typeof running>>
) =>
  Effect.flatMap(loopGuard(options), (guard) =>
    Toolset.seal({ tools: [...tools], middleware: DefaultStack.make({ loopGuard: guard, approval: approve }) })
  )

const asked = Layer.unwrapEffect(
  Effect.map(Ref.make(0), () => Approvals.layerDecide(() => ({ decision: "deny", reason: "enough" })))
)

describe("loopGuard", () => {
  it.effect("stops the task at a call that was the same, with the same outcome, so many times in a row (T15)", () =>
    Effect.gen(function* () {
      const toolset = yield* sealed({ action: "stop" }, [Echo])
      const call = (text: string) => Effect.either(toolset.call(request("echo", { text })))
      for (let index = 0; index < 3; index++) assert.isTrue(Either.isRight(yield* call("hi")))
      const stopped = yield* call("hi")
      assert.deepInclude(Either.getOrThrow(Either.flip(stopped)), { _tag: "LoopDetected", repeats: 3, stop: true })
      assert.include(Either.getOrThrow(Either.flip(stopped)).message, "echo was called 3 times in a row")
      assert.isTrue(Either.isRight(yield* call("hi")))
      const long = "x".repeat(10_000)
      for (let index = 0; index < 3; index++) yield* call(long)
      assert.isTrue(Either.isLeft(yield* call(long)))
    }).pipe(Effect.provide(asked))
  )

  it.effect("lets other parameters, other outcomes and other workers go on (T15)", () =>
    Effect.gen(function* () {
      let polls = 0
      const toolset = yield* sealed({ action: "stop", repeats: 2 }, [
        Echo,
        running(
          Effect.sync(() => ++polls),
          "poll"
        )
      ])
      for (let index = 0; index < 6; index++) {
        yield* toolset.call(request("echo", { text: String(index) }))
      }
      for (let index = 0; index < 6; index++) yield* toolset.call(request("poll", {}))
      for (let index = 0; index < 6; index++) {
        yield* toolset.call({ ...request("echo", { text: "same" }), workerPath: ["root", String(index % 4)] })
      }
      for (let index = 0; index < 1100; index++) {
        yield* toolset.call({ ...request("echo", { text: "same" }), sessionId: String(index) })
      }
    }).pipe(Effect.provide(asked))
  )

  it.effect("counts failures too, whatever the order of the parameters, and asks where it is told to (T6, T15)", () =>
    Effect.gen(function* () {
      const toolset = yield* sealed({ action: "ask", repeats: 2 }, [running(new Broken({ retryable: false })), Echo])
      const fails = () => Effect.flip(toolset.call(request("work", {})))
      assert.strictEqual((yield* fails())._tag, "Broken")
      assert.strictEqual((yield* fails())._tag, "Broken")
      const denied = yield* fails()
      assert.strictEqual(denied._tag, "ApprovalDenied")
      assert.strictEqual((yield* fails())._tag, "Broken")
    }).pipe(Effect.provide(asked))
  )
})
