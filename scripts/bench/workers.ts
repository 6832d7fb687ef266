import * as Effect from "effect/Effect"
import { performance } from "node:perf_hooks"
import type { ModelRequest, ModelService } from "../../src/model/Model.ts"
import { type ModelPart, noUsage } from "../../src/model/ModelPart.ts"
import * as Push from "../../src/model/Push.ts"
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
    return Push.stream((tell) =>
      Effect.zipRight(Effect.sleep(latency), Effect.forEach([...parts, finished], tell, { discard: true }))
    )
  }
})

/** What so many leaf workers of one task took. */
export interface LeafWorkers {
  readonly millis: number
  /** Milliseconds of the processors, which other programs on the machine do not change as much. */
  readonly cpuMillis: number
  /** Heap that the session holds afterwards, while it is open. */
  readonly mebibytes: number
}

/** The heap without garbage. */
const heap = Effect.sync(() => {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 1024 / 1024
})

const cpuMillis = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}

export const leafWorkers = (count: number): Effect.Effect<LeafWorkers> =>
  Effect.gen(function* () {
    const session = yield* Testing.session()
    const before = yield* heap
    const [start, used] = [performance.now(), cpuMillis()]
    yield* session.run("go")
    const [millis, cpu] = [performance.now() - start, cpuMillis() - used]
    return { millis, cpuMillis: cpu, mebibytes: (yield* heap) - before }
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

/** The ideal: milliseconds of as many answers of the same model, as many at once, with nothing told, stored or redacted. */
export const plainTurns = (count: number): Effect.Effect<number> =>
  Effect.gen(function* () {
    const model = modelOf(count)
    const start = performance.now()
    yield* Effect.forEach(Array.from({ length: count }), () => Push.run(model.stream(request), () => Effect.void), {
      concurrency: atOnce,
      discard: true
    })
    return performance.now() - start
  }).pipe(Effect.orDie)
