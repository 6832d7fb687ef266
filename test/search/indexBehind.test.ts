import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Logger, TestClock } from "effect"
import { EmbeddingFailed } from "../../src/search/Embeddings.ts"
import { indexBehind } from "../../src/search/indexBehind.ts"
import type { Indexer } from "../../src/search/Indexer.ts"

describe("the indexer behind the turns", () => {
  it.effect("waits for the start, works while nothing happens, rests without work and lets go at the end (K1)", () =>
    Effect.gen(function* () {
      let busy = false
      let left = 3
      const seen: Array<string> = []
      const indexer: Indexer = {
        step: Effect.sync(() => {
          seen.push(`step ${left}`)
          return --left > 0
        }),
        progress: Effect.succeed({ sessions: 0, embedded: 0, messages: 0 }),
        release: Effect.sync(() => void seen.push("released"))
      }
      const opened = Effect.sync(() => {
        seen.push("opened")
        return indexer
      })
      const idle = Effect.sync(() => !busy)
      const fiber = yield* Effect.fork(indexBehind(opened, idle))
      yield* TestClock.adjust("4 seconds")
      assert.deepStrictEqual(seen, [])
      yield* TestClock.adjust("1 seconds")
      assert.deepStrictEqual(seen, ["opened", "step 3"])
      busy = true
      yield* TestClock.adjust("1 minutes")
      assert.strictEqual(seen.length, 2)
      busy = false
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(seen.slice(2), ["step 2", "step 1"])
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(seen.slice(4), ["released"])
    })
  )

  it.effect("tries again later what has failed (K1)", () =>
    Effect.gen(function* () {
      let tries = 0
      const failing: Indexer = {
        step: Effect.suspend(() => {
          tries++
          return new EmbeddingFailed({ model: "far", reason: "no answer" })
        }),
        progress: Effect.succeed({ sessions: 0, embedded: 0, messages: 0 }),
        release: Effect.void
      }
      yield* Effect.fork(indexBehind(Effect.succeed(failing), Effect.succeed(true)))
      yield* TestClock.adjust("1 minutes")
      assert.strictEqual(tries, 1)
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(tries, 3)
    }).pipe(Effect.provide(Logger.remove(Logger.defaultLogger)))
  )
})
