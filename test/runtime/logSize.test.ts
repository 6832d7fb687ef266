import { assert, describe, it } from "@effect/vitest"
import { Chunk, Effect, Stream } from "effect"
import { MessageRecorded } from "../../src/agent/AgentEvent.ts"
import * as EventLog from "../../src/runtime/EventLog.ts"
import * as MemorySessionStore from "../../src/runtime/MemorySessionStore.ts"
import { SessionStore } from "../../src/runtime/SessionStore.ts"
import { macrotask } from "../../src/system/macrotask.ts"

const create = { project: "test", profile: "scripted", time: 0 }

/** What of a log with messages of this length its store is asked for, by a reader who begins at the first. */
const reads = (count: number, length: number) =>
  Effect.gen(function* () {
    const store = yield* SessionStore
    const lease = yield* store.open({ session: "s", create })
    let asked = 0
    const log = yield* EventLog.make(lease, {
      ...store,
      read: (session, from, limit) =>
        Effect.tap(store.read(session, from, limit), (events) => Effect.sync(() => (asked += events.length)))
    })
    const message = (at: number) =>
      new MessageRecorded({ message: { id: `m${at}`, message: { role: "user", content: "x".repeat(length) } } })
    yield* Effect.forEach(
      Array.from({ length: count }, (_, at) => message(at)),
      // The runner hears nothing of this process between two of a megabyte otherwise.
      (event) => Effect.zipRight(macrotask, log.commit(event, {})),
      {
        discard: true
      }
    )
    const all = yield* Stream.runCollect(log.subscribe({ from: 1, follow: false }))
    assert.deepStrictEqual(
      Chunk.toReadonlyArray(all).map(({ seq }) => seq),
      Array.from({ length: count }, (_, at) => at + 1)
    )
    return asked
  }).pipe(Effect.scoped, Effect.provide(MemorySessionStore.layer))

describe("the tail of a log that is kept at hand", () => {
  it.effect("is bounded by its text as well as by its events, and no reader misses any (R5)", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* reads(500, 100), 0)
      assert.isAtLeast(yield* reads(40, 1024 * 1024), 40 - 16)
      assert.strictEqual(yield* reads(1, 20 * 1024 * 1024), 1)
    })
  )
})
