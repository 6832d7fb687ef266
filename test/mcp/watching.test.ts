import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Watching from "../../src/mcp/gateway/Watching.ts"

describe("clients that watch the resources of a server", () => {
  it.effect("are each told of what it watches, and the last one alone ends that at the server (X2)", () =>
    Effect.gen(function* () {
      const { forget, isWatched, watch } = Watching.make<object>()
      const asked: Array<boolean> = []
      const [one, other] = [{}, {}]
      const watches = (client: object, on: boolean) =>
        watch(
          client,
          "note://a",
          on,
          Effect.sync(() => void asked.push(on))
        )
      yield* watches(one, true)
      assert.deepStrictEqual([isWatched(one, "note://a"), isWatched(other, "note://a")], [true, false])
      yield* watches(other, true)
      yield* watches(one, false)
      assert.deepStrictEqual([isWatched(one, "note://a"), isWatched(other, "note://a")], [false, true])
      assert.deepStrictEqual(asked, [true, true])
      yield* watches(other, false)
      assert.deepStrictEqual(asked, [true, true, false])
      yield* watches(one, true)
      forget(one)
      assert.isFalse(isWatched(one, "note://a"))
      assert.strictEqual(yield* Effect.flip(watch(one, "note://a", true, Effect.fail("no"))), "no")
      assert.isFalse(isWatched(one, "note://a"))
    })
  )

  it.effect("watch so many at most, and are told so (X2, R5)", () =>
    Effect.gen(function* () {
      const { isWatched, watch } = Watching.make<object>()
      const one = {}
      const watches = (uri: string, on = true) => watch(one, uri, on, Effect.void)
      yield* Effect.forEach(Array.from({ length: Watching.mostWatched }), (_, at) => watches(`note://${at}`))
      yield* watches("note://0")
      const { message } = yield* Effect.flip(watches("note://more"))
      assert.include(message, "1000 resources")
      assert.isFalse(isWatched(one, "note://more"))
      yield* watches("note://0", false)
      yield* watches("note://more")
      assert.isTrue(isWatched(one, "note://more"))
    })
  )

  it.effect(
    "watch nothing that they took back before its server answered, and go on with what they watch already (X2)",
    () =>
      Effect.gen(function* () {
        const { isWatched, watch } = Watching.make<object>()
        const one = {}
        const interrupted = Effect.flatMap(Effect.fork(watch(one, "note://a", true, Effect.never)), (fiber) =>
          Effect.zipRight(Effect.yieldNow(), Fiber.interrupt(fiber))
        )
        yield* interrupted
        assert.isFalse(isWatched(one, "note://a"))
        yield* watch(one, "note://a", true, Effect.void)
        yield* interrupted
        assert.isTrue(isWatched(one, "note://a"))
      })
  )
})
