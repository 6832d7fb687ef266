import { assert, describe, it } from "@effect/vitest"
import { Chunk, Effect, Exit, FastCheck as fc, Stream } from "effect"
import { withFallback } from "../../src/model/Fallback.ts"
import type { ModelService } from "../../src/model/Model.ts"
import { ModelMalformed, ModelOverloaded, type ModelError } from "../../src/model/ModelError.ts"
import { type ModelPart, noUsage } from "../../src/model/ModelPart.ts"
import * as Push from "../../src/model/Push.ts"
import { retried } from "../../src/model/RetryPolicy.ts"

const failure: ModelError = new ModelOverloaded({ model: "m", status: 503, reason: "busy" })
const part = fc.oneof(
  fc.string().map((text): ModelPart => ({ _tag: "TextDelta", text })),
  fc.constant<ModelPart>({ _tag: "Finished", reason: "stop", usage: noUsage })
)
/** Answers of one model, each a list of parts and whether it fails behind them. */
const answers = fc.array(fc.tuple(fc.array(part, { maxLength: 40 }), fc.boolean()), { minLength: 1, maxLength: 4 })
type Answers = ReadonlyArray<readonly [ReadonlyArray<ModelPart>, boolean]>

/** Gives the answers in turn, the last one for ever, as a stream or as what is pushed. */
const modelOf = (given: Answers, pushed: boolean): ModelService => {
  let asked = 0
  return {
    name: "m",
    stream: () => {
      const [parts, fails] = given[Math.min(asked++, given.length - 1)]!
      return pushed
        ? Push.stream((tell) =>
            Effect.zipRight(Effect.forEach(parts, tell, { discard: true }), fails ? Effect.fail(failure) : Effect.void)
          )
        : Stream.concat(Stream.fromIterable(parts), fails ? Stream.fail(failure) : Stream.empty)
    }
  }
}

const around = (model: ModelService, fallback: Answers) =>
  withFallback([Effect.succeed(modelOf(fallback, true))])(
    retried({ maxAttempts: 3, initialDelay: 0, maxDelay: 0 })(model)
  )

/** The parts that were heard, and how it ended. */
const heard = (parts: Stream.Stream<ModelPart, ModelError>, streamed: boolean) =>
  Effect.gen(function* () {
    const seen: Array<ModelPart> = []
    const hear = (part: ModelPart) => Effect.sync(() => void seen.push(part))
    const exit = yield* Effect.exit(streamed ? Stream.runForEach(parts, hear) : Push.run(parts, hear))
    return { seen, exit }
  })

describe("parts that are pushed", () => {
  it.live.prop("are the same as a stream of them, behind retries and fallbacks too (R7)", [answers, answers], (of) =>
    Effect.gen(function* () {
      const [first, fallback] = of
      const request = { messages: [], functions: [] }
      const ways = yield* Effect.forEach(
        [true, false].flatMap((pushed) => [true, false].map((streamed) => [pushed, streamed] as const)),
        ([pushed, streamed]) => heard(around(modelOf(first, pushed), fallback).stream(request), streamed)
      )
      for (const way of ways) assert.deepStrictEqual(way, ways[0])
    })
  )

  it.live("are not asked for again where whoever hears them refuses one", () =>
    Effect.gen(function* () {
      let asked = 0
      const model: ModelService = {
        name: "m",
        stream: () => {
          asked++
          return Stream.make<Array<ModelPart>>({ _tag: "TextDelta", text: "on and on" })
        }
      }
      const error = new ModelMalformed({ model: "m", reason: "the answer did not end" })
      const exit = yield* Effect.exit(
        Push.run(
          around(model, [[[], false]]).stream({ messages: [], functions: [] }),
          () => new Push.Refused({ error })
        )
      )
      assert.isTrue(Exit.isFailure(exit))
      assert.strictEqual(asked, 1)
    })
  )

  it.live("stop with who reads the stream of them", () =>
    Effect.gen(function* () {
      let told = 0
      const endless = Push.stream((tell) =>
        Effect.forever(Effect.suspend(() => tell({ _tag: "TextDelta", text: String(told++) })))
      )
      const parts = yield* Stream.runCollect(Stream.take(endless, 3))
      assert.strictEqual(Chunk.size(parts), 3)
      const after = told
      yield* Effect.yieldNow()
      assert.strictEqual(told, after)
    })
  )
})
