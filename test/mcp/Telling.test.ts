import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import * as Telling from "../../src/mcp/Telling.ts"

describe("telling", () => {
  it.effect(
    "tells all in order before its end, the newest 64 where nobody keeps up, and nothing afterwards (T13)",
    () =>
      Effect.gen(function* () {
        const told: Array<number> = []
        const open = yield* Deferred.make<void>()
        const tell = (item: number) =>
          Effect.zipRight(
            Deferred.await(open),
            Effect.sync(() => void told.push(item))
          )
        const telling = Telling.make(tell, yield* Effect.runtime<never>())
        for (let item = 0; item < 100; item++) telling.add(item)
        const ending = yield* Effect.fork(telling.end)
        yield* Effect.yieldNow()
        telling.add(100)
        yield* Deferred.succeed(open, undefined)
        yield* Fiber.join(ending)
        assert.deepStrictEqual(
          told,
          told.toSorted((one, other) => one - other)
        )
        assert.deepStrictEqual([told.at(-1), told.length <= 65, told.length >= 64], [99, true, true])
      })
  )

  it.effect("ends at once where nothing came (T13)", () =>
    Effect.gen(function* () {
      yield* Telling.make(() => Effect.never, yield* Effect.runtime<never>()).end
    })
  )
})
