import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { performance } from "node:perf_hooks"
import { Tools } from "../../src/agent/Tools.ts"
import { Approvals } from "../../src/approval/Approvals.ts"
import { Database } from "../../src/database/Database.ts"
import type { ModelService } from "../../src/model/Model.ts"
import { Models } from "../../src/model/Models.ts"
import { type ModelPart, noUsage } from "../../src/model/ModelPart.ts"
import * as Push from "../../src/model/Push.ts"
import { CreateSession, SubmitPrompt } from "../../src/runtime/Command.ts"
import { type Event, isTerminal } from "../../src/runtime/Event.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import { defaults, RuntimeOptions } from "../../src/runtime/RuntimeOptions.ts"
import * as SqlSessionStore from "../../src/runtime/SqlSessionStore.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import * as Tool from "../../src/tool/Tool.ts"
import * as Toolset from "../../src/gate/Toolset.ts"

const Look = Tool.make("look", {
  description: "Looks at a place",
  parameters: Schema.Struct({ place: Schema.String }),
  success: Schema.String,
  readOnly: true,
  handler: ({ place }) => Effect.succeed(`nothing at ${place}`)
})

/** The parts of an answer that asks for one call, but for the last. */
const partsOf = (step: number, steps: number): ReadonlyArray<ModelPart> =>
  step < steps
    ? [
        { _tag: "TextDelta", text: "Looking." },
        { _tag: "FunctionCalled", id: `call_${step}`, name: "look", arguments: `{"place":"here"}` },
        { _tag: "Finished", reason: "tool_calls", usage: noUsage }
      ]
    : [
        { _tag: "TextDelta", text: "Done." },
        { _tag: "Finished", reason: "stop", usage: noUsage }
      ]

/** Asks for one call in each of `steps` answers and then stops. */
const stepping = (steps: number): ModelService => {
  let step = 0
  return {
    name: "bench",
    stream: () => Push.stream((tell) => Effect.forEach(partsOf(++step, steps), tell, { discard: true }))
  }
}

/** Microseconds of one whole durable agent step: request, answer, one read-only call behind the stack, every event stored. */
export const agentStep = (steps: number): Effect.Effect<number> =>
  Effect.suspend(() => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-bench-"))
    const stack = DefaultStack.make({})
    const layer = Runtime.layer.pipe(
      Layer.provide(Tools.layerEffect(Toolset.make([Look], { middleware: stack }))),
      Layer.provide(Models.layerOf({ bench: stepping(steps) })),
      Layer.provide(Approvals.layer({ policy: "allow" })),
      Layer.provide(SqlSessionStore.layer),
      Layer.provide(Database.layer(path.join(folder, "bench.db"))),
      Layer.provide(Layer.succeed(RuntimeOptions, { ...defaults, maxIterations: steps + 1 }))
    )
    return Effect.gen(function* () {
      const runtime = yield* Runtime
      const session = "bench"
      const first = (matches: (event: Event) => boolean) =>
        Effect.flatMap(runtime.events, (events) =>
          Effect.fork(Stream.runHead(Stream.filter(events, ({ event }) => matches(event))))
        )
      const created = yield* first((event) => event._tag === "SessionCreated")
      const ended = yield* first(isTerminal)
      yield* runtime.send(new CreateSession({ session, project: "bench" }))
      yield* created.await
      const start = performance.now()
      yield* runtime.send(new SubmitPrompt({ session, task: "task", prompt: "Look around" }))
      yield* Effect.flatten(ended.await)
      return ((performance.now() - start) * 1000) / steps
    }).pipe(
      Effect.provide(layer),
      Effect.orDie,
      Effect.ensuring(Effect.sync(() => fs.rmSync(folder, { recursive: true })))
    )
  })

/** Microseconds of the same step without the runtime: a stream of the same parts is drained and the handler called. */
export const bareStep = (steps: number): Effect.Effect<number> =>
  Effect.gen(function* () {
    const start = performance.now()
    for (let step = 1; step <= steps; step++) {
      yield* Stream.runDrain(Stream.fromChunk(Chunk.unsafeFromArray(partsOf(step, steps))))
      yield* Look.handler({ place: "here" }, undefined as never)
    }
    return ((performance.now() - start) * 1000) / steps
  })
