import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { MessageRecorded } from "../../src/agent/AgentEvent.ts"
import type { Envelope } from "../../src/runtime/Envelope.ts"
import type { DurableEvent } from "../../src/runtime/Event.ts"
import { SessionCreated } from "../../src/runtime/RuntimeEvent.ts"
import * as MemorySessionStore from "../../src/runtime/MemorySessionStore.ts"
import { SessionStore } from "../../src/runtime/SessionStore.ts"
import * as Testing from "../../src/testing.ts"

/** The first event, then messages of both sides in turn. */
const events = (messages: number): ReadonlyArray<Envelope> => {
  const wrap = (event: DurableEvent, at: number): Envelope => ({
    version: 1,
    seq: at + 1,
    time: at,
    session: "session_1",
    event
  })
  const said = Array.from({ length: messages }, (_, at) => {
    const role = at % 2 === 0 ? ("user" as const) : ("assistant" as const)
    return new MessageRecorded({ message: { id: `m${at}`, message: { role, content: `message ${at}` } } })
  })
  return [new SessionCreated({ project: "test", profile: "scripted" }), ...said].map(wrap)
}

/** Rows that the store hands out to open a session of so many messages, and for its next turn after that. */
const rowsRead = (messages: number) =>
  Effect.gen(function* () {
    let rows = 0
    const counted = Layer.effect(
      SessionStore,
      Effect.map(SessionStore, (store): SessionStore["Type"] => {
        const count = <A, E>(found: Effect.Effect<ReadonlyArray<A>, E>) =>
          Effect.tap(found, ({ length }) => {
            rows += length
          })
        return {
          ...store,
          read: (...of) => count(store.read(...of)),
          ofTasks: (...of) => count(store.ofTasks(...of)),
          changes: (...of) => count(store.changes(...of)),
          messages: (...of) => count(store.messages(...of)),
          workerChanges: (...of) => count(store.workerChanges(...of))
        }
      })
    ).pipe(Layer.provide(MemorySessionStore.layer))
    const model = yield* Testing.Scripted.make([{ repeat: true, steps: [{ say: "Done" }] }])
    return yield* Effect.gen(function* () {
      const store = yield* SessionStore
      const create = { project: "test", profile: "scripted", time: 0 }
      yield* Effect.scoped(
        Effect.flatMap(store.open({ session: "session_1", create }), (lease) => store.append(lease, events(messages)))
      )
      const session = yield* Testing.session()
      const opening = rows
      yield* session.prompt("one")
      const first = rows
      yield* session.prompt("two")
      const sent = (yield* model.requests).map((request) => request.messages.length)
      return { opening, turns: [first - opening, rows - first], sent }
    }).pipe(
      Effect.provide(
        Testing.layer({ model, store: counted, settings: { contextCharacters: 4000, autoCompact: false } })
      )
    )
  })

describe("the next turn of a session", () => {
  it.effect("reads and sends no more of 100,000 messages than of 2,000, to open it and afterwards (R5)", () =>
    Effect.gen(function* () {
      const few = yield* rowsRead(2000)
      const many = yield* rowsRead(100_000)
      assert.deepStrictEqual({ opening: many.opening, turns: many.turns }, { opening: few.opening, turns: few.turns })
      assert.isAtMost(many.opening, 1100)
      assert.deepStrictEqual(many.turns, few.turns)
      for (const length of many.sent) assert.isAtMost(length, 400)
    })
  )
})
