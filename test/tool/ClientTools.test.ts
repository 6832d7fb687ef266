import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { ClientTools } from "../../src/tool/ClientTools.ts"
import { silent } from "../../src/tool/ToolCall.ts"

const call = { callId: "c", name: "look", sessionId: "s", rawParams: {}, sink: silent }

describe("ClientTools", () => {
  it.effect("keeps no place for calls that were interrupted before their client heard of them (T1, R5)", () =>
    Effect.gen(function* () {
      const tools = yield* ClientTools
      yield* tools.declare("s", ["look"])
      const unheard = { ...call, sink: { ...silent, emit: () => Effect.never } }
      for (let count = 0; count < 64; count++) {
        const asking = yield* Effect.fork(tools.call(unheard))
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(asking)
      }
      let asked = false
      const emit = () => Effect.sync(() => void (asked = true))
      const last = yield* Effect.fork(tools.call({ ...call, sink: { ...silent, emit } }))
      yield* Effect.yieldNow()
      assert.isTrue(asked)
      yield* Fiber.interrupt(last)
    }).pipe(Effect.provide(ClientTools.layer()))
  )
})
