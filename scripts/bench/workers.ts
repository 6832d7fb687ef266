import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { performance } from "node:perf_hooks"
import type { ModelRequest, ModelService } from "../../src/model/Model.ts"
import { type ModelPart, noUsage } from "../../src/model/ModelPart.ts"
import * as Testing from "../../src/testing.ts"
import { Delegate } from "../../src/tools/Delegate.ts"

/** Milliseconds that a model takes for an answer. */
const latency = 20
const atOnce = 16

const finished: ModelPart = { _tag: "Finished", reason: "stop", usage: noUsage }
const delegations = (count: number): ReadonlyArray<ModelPart> =>
  Array.from({ length: count }, (_, index) => ({
    _tag: "FunctionCalled" as const,
    id: `c${index}`,
    name: "delegate",
    arguments: JSON.stringify({ task: `leaf ${index}` })
  }))

/** Starts all workers in its first answer; each of them answers at once, as far as the model lets it. */
const modelOf = (count: number): ModelService => ({
  name: "bench",
  stream: ({ messages }) => {
    const last = messages.at(-1)?.message
    const parts: ReadonlyArray<ModelPart> =
      last?.role === "user" && last.content === "go" ? delegations(count) : [{ _tag: "TextDelta", text: "done" }]
    return Stream.fromIterable([...parts, finished]).pipe(Stream.onStart(Effect.sleep(latency)))
  }
})

/** Milliseconds in which one task completes so many leaf workers, and the most heap in MiB that this took. */
export const leafWorkers = (count: number): Effect.Effect<{ readonly millis: number; readonly mebibytes: number }> =>
  Effect.gen(function* () {
    const session = yield* Testing.session()
    const before = process.memoryUsage().heapUsed
    const start = performance.now()
    yield* session.run("go")
    const millis = performance.now() - start
    return { millis, mebibytes: (process.memoryUsage().heapUsed - before) / 1024 / 1024 }
  }).pipe(
    Effect.provide(
      Testing.layer({
        tools: [Delegate],
        model: modelOf(count),
        settings: { maxWorkers: count, parallelWorkers: atOnce }
      })
    ),
    Effect.orDie
  )

const request: ModelRequest = { messages: [], functions: [] }

/** Milliseconds of as many answers of the same model, as many at once. */
export const plainTurns = (count: number): Effect.Effect<number> =>
  Effect.gen(function* () {
    const model = modelOf(count)
    const start = performance.now()
    yield* Effect.forEach(Array.from({ length: count }), () => Stream.runDrain(model.stream(request)), {
      concurrency: atOnce,
      discard: true
    })
    return performance.now() - start
  }).pipe(Effect.orDie)
