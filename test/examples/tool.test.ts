import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { ToolCall } from "tollgate"
import { toolset } from "../../examples/tool.ts"

describe("the README's tool", () => {
  it.effect("compiles, retries and answers (T1, T7, T18)", () =>
    Effect.gen(function* () {
      const { call } = yield* toolset
      const request = {
        name: "weather",
        rawParams: { city: "Oslo" },
        callId: "c",
        sessionId: "s",
        workerPath: ["root"]
      }
      const running = yield* Effect.fork(call({ ...request, startedAt: 0, sink: ToolCall.silent }))
      yield* TestClock.adjust("1 second")
      const { value } = yield* Fiber.join(running)
      assert.deepStrictEqual(value, { celsius: 4 })
    })
  )
})
