import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Tools } from "../../src/agent/Tools.ts"
import { Approvals } from "../../src/approval/Approvals.ts"
import { Database } from "../../src/database/Database.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import type { ModelService } from "../../src/model/Model.ts"
import { noUsage } from "../../src/model/ModelPart.ts"
import { Models } from "../../src/model/Models.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import { defaults, RuntimeOptions } from "../../src/runtime/RuntimeOptions.ts"
import * as SqlSessionStore from "../../src/runtime/SqlSessionStore.ts"

const done: ModelService = {
  name: "bench",
  stream: () =>
    Stream.make(
      { _tag: "TextDelta", text: "Done." } as const,
      { _tag: "Finished", reason: "stop", usage: noUsage } as const
    )
}

/** KiB that is reachable. */
const heap = Effect.sync(() => {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 1024
})

/** Long enough for every session to be open when the first measure is taken. */
const releaseIdleAfter = Duration.seconds(20)

/** KiB of one session that has run a task: while it is open, and once it was released. */
export const idleSession = (sessions: number): Effect.Effect<{ readonly open: number; readonly released: number }> =>
  Effect.suspend(() => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-bench-"))
    const layer = Runtime.layer.pipe(
      Layer.provide(Tools.layerEffect(Toolset.make([]))),
      Layer.provide(Models.layerOf({ bench: done })),
      Layer.provide(Approvals.layer({ policy: "ask" })),
      Layer.provide(SqlSessionStore.layer),
      Layer.provide(Database.layer(path.join(folder, "bench.db"))),
      Layer.provide(Layer.succeed(RuntimeOptions, { ...defaults, releaseIdleAfter }))
    )
    return Effect.gen(function* () {
      const runtime = yield* Runtime
      const used = (from: number, to: number) =>
        Effect.forEach(
          Array.from({ length: to - from }, (_, index) => `s${from + index}`),
          (id) =>
            Effect.scoped(
              Effect.flatMap(runtime.session({ id, create: { project: "bench" } }), (one) => one.prompt("Look around"))
            ),
          { concurrency: 16, discard: true }
        )
      yield* used(0, 50)
      const before = yield* heap
      yield* used(50, 50 + sessions)
      const open = ((yield* heap) - before) / sessions
      yield* Effect.sleep(Duration.times(releaseIdleAfter, 2))
      return { open, released: ((yield* heap) - before) / sessions }
    }).pipe(
      Effect.provide(layer),
      Effect.orDie,
      Effect.ensuring(Effect.sync(() => fs.rmSync(folder, { recursive: true })))
    )
  })
