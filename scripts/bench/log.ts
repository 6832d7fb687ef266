import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { performance } from "node:perf_hooks"
import { Database } from "../../src/database/Database.ts"
import { ErrorRaised } from "../../src/runtime/RuntimeEvent.ts"
import * as EventLog from "../../src/runtime/EventLog.ts"
import { SessionStore } from "../../src/runtime/SessionStore.ts"
import * as SqlSessionStore from "../../src/runtime/SqlSessionStore.ts"

const event = new ErrorRaised({ message: "something of the usual length of a small event" })

/** Events a second that are durable and delivered to every live subscriber; `stalled` more take one event and no more. */
export const logThroughput = (events: number, subscribers: number, stalled: number): Effect.Effect<number> =>
  Effect.suspend(() => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-bench-"))
    const layer = SqlSessionStore.layer.pipe(Layer.provide(Database.layer(path.join(folder, "bench.db"))))
    return Effect.gen(function* () {
      const store = yield* SessionStore
      const lease = yield* store.open({ session: "bench", create: { project: "", profile: "", time: 0 } })
      const log = yield* EventLog.make(lease, store)
      const never = yield* Deferred.make<void>()
      for (let index = 0; index < stalled; index++) {
        yield* Effect.forkScoped(Stream.runForEach(log.subscribe({ from: 1 }), () => Deferred.await(never)))
      }
      const live = yield* Effect.forEach(Array.from({ length: subscribers }), () =>
        Effect.fork(Stream.runDrain(Stream.take(log.subscribe({ from: 1 }), events)))
      )
      const start = performance.now()
      for (let index = 0; index < events; index++) yield* log.emit(event, {})
      yield* Fiber.joinAll(live)
      return (events * 1000) / (performance.now() - start)
    }).pipe(
      Effect.scoped,
      Effect.provide(layer),
      Effect.orDie,
      Effect.ensuring(Effect.sync(() => fs.rmSync(folder, { recursive: true })))
    )
  })

/** The same through an unbounded PubSub, which stores nothing and grows with its slowest subscriber. */
export const pubSubThroughput = (events: number, subscribers: number): Effect.Effect<number> =>
  Effect.gen(function* () {
    const hub = yield* PubSub.unbounded<typeof event>()
    const live = yield* Effect.forEach(Array.from({ length: subscribers }), () =>
      Effect.flatMap(PubSub.subscribe(hub), (queue) =>
        Effect.fork(Stream.runDrain(Stream.take(Stream.fromQueue(queue), events)))
      )
    )
    const start = performance.now()
    for (let index = 0; index < events; index++) yield* PubSub.publish(hub, event)
    yield* Fiber.joinAll(live)
    return (events * 1000) / (performance.now() - start)
  }).pipe(Effect.scoped)
