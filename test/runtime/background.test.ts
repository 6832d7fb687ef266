import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { Database } from "../../src/database/Database.ts"
import { ForkSession, RewindSession } from "../../src/runtime/Command.ts"
import type { DurableEvent } from "../../src/runtime/Event.ts"
import { BackgroundEnded, BackgroundStarted } from "../../src/runtime/RuntimeEvent.ts"
import * as MemorySessionStore from "../../src/runtime/MemorySessionStore.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import { SessionStore } from "../../src/runtime/SessionStore.ts"
import * as SqlSessionStore from "../../src/runtime/SqlSessionStore.ts"
import * as Testing from "../../src/testing.ts"
import { trusted } from "../../src/tool/ToolEvent.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

const session = "session_1"

const stores: Readonly<Record<string, Layer.Layer<SessionStore>>> = {
  "in memory": MemorySessionStore.layer,
  "in a database": Layer.unwrapScoped(
    Effect.map(temporaryDirectory, (directory) =>
      Layer.orDie(Layer.provide(SqlSessionStore.layer, Database.layer(`${directory}/db`)))
    )
  )
}

const started = (id: string) => new BackgroundStarted({ id, command: "serve", directory: "/" }, trusted)
const ended = (id: string, reason: string, stopped: boolean) =>
  new BackgroundEnded({ id, command: "serve", reason, exitCode: null, stopped }, trusted)

/** What the last process of the session wrote before it died. */
const wrote = (...events: ReadonlyArray<DurableEvent>) =>
  Effect.gen(function* () {
    const store = yield* SessionStore
    const lease = yield* store.open({ session })
    const time = yield* Clock.currentTimeMillis
    yield* store.append(
      lease,
      events.map((event, index) => ({ version: 1, seq: lease.head + 1 + index, time, session, event }))
    )
  }).pipe(Effect.scoped)

/** What the model was told of background commands. */
const news = (of: string) =>
  Effect.map(
    Effect.flatMap(SessionStore, (store) => store.messages(of, 1000)),
    (messages) =>
      messages.flatMap(({ message: { content } }) =>
        content?.startsWith("The background command") === true ? content.split("\n") : []
      )
  )

/** The ends of background commands in the log. */
const ends = (of: string) =>
  Effect.map(
    Effect.flatMap(SessionStore, (store) => store.tagged(of, ["BackgroundEnded"])),
    (events) =>
      events.flatMap(({ event }) => (event._tag === "BackgroundEnded" ? [[event.id, event.reason, event.stopped]] : []))
  )

const died = "Tollgate stopped, and its processes with it"
const kept = "Its output is no longer kept."

for (const [where, store] of Object.entries(stores)) {
  const world = Testing.layer({ model: [{ repeat: true, steps: [{ say: "Yes." }] }], store, randomIds: true })

  /** A session with a first task, whose runtime has died. */
  const begun = Effect.gen(function* () {
    const own = yield* Testing.session()
    yield* own.run("serve it")
    yield* Testing.restart()
  })

  describe(`a background command of a session ${where}`, () => {
    it.scopedLive(
      "that has no end, for its runtime was killed, gets one, and the model is told of it once (R5, R9)",
      () =>
        Effect.gen(function* () {
          yield* begun
          yield* wrote(started("shell_1"), started("shell_2"), ended("shell_1", "exit code 1", false))
          yield* (yield* Testing.session()).run("is it up?")
          assert.deepStrictEqual(yield* ends(session), [
            ["shell_1", "exit code 1", false],
            ["shell_2", died, true]
          ])
          const told = [
            `The background command shell_1 has ended: exit code 1. ${kept}`,
            `The background command shell_2 has ended: ${died}. ${kept}`
          ]
          assert.deepStrictEqual(yield* news(session), told)
          yield* Testing.restart()
          const again = yield* Testing.session()
          yield* again.run("and now?")
          assert.deepStrictEqual(yield* news(session), told)
          assert.strictEqual((yield* ends(session)).length, 2)
          assert.deepStrictEqual(Testing.Timeline.violations(yield* again.recorded), [])
        }).pipe(Effect.provide(world))
    )

    it.scopedLive("that ended with it is told of at the next turn, also where a runtime went by without one (R5)", () =>
      Effect.gen(function* () {
        yield* begun
        yield* wrote(started("shell_1"), ended("shell_1", "stopped; its processes were ended", true))
        yield* (yield* Testing.session()).awaitTag("SessionResumed")
        yield* Testing.restart()
        yield* (yield* Testing.session()).run("is it up?")
        assert.deepStrictEqual(yield* news(session), [
          `The background command shell_1 has ended: stopped; its processes were ended. ${kept}`
        ])
      }).pipe(Effect.provide(world))
    )

    it.scopedLive("is told of once where so many ended that the earlier ones are only counted (R5)", () =>
      Effect.gen(function* () {
        yield* begun
        yield* wrote(...Array.from({ length: 10 }, (_, index) => started(`shell_${index}`)))
        yield* (yield* Testing.session()).run("is it up?")
        yield* Testing.restart()
        yield* (yield* Testing.session()).run("and now?")
        const told = yield* news(session)
        assert.strictEqual(told.length, 9)
        assert.strictEqual(told.at(-1), "2 earlier ones have ended as well.")
      }).pipe(Effect.provide(world))
    )

    it.scopedLive("that was rewound away is ended, and not told of (R5, K6)", () =>
      Effect.gen(function* () {
        const runtime = yield* Runtime
        yield* begun
        const { head } = yield* (yield* SessionStore).get(session)
        yield* wrote(started("shell_1"))
        yield* runtime.request(new RewindSession({ session, to: head + 1 }))
        yield* Testing.restart()
        yield* (yield* Testing.session()).run("go on")
        assert.deepStrictEqual(yield* ends(session), [["shell_1", died, true]])
        assert.deepStrictEqual(yield* news(session), [])
      }).pipe(Effect.provide(world))
    )

    it.scopedLive("has an end in a fork, which its model is told of (R5, K6)", () =>
      Effect.gen(function* () {
        const runtime = yield* Runtime
        yield* begun
        yield* wrote(started("shell_1"), started("shell_2"), ended("shell_1", "exit code 1", false))
        const { head } = yield* (yield* SessionStore).get(session)
        yield* runtime.request(new ForkSession({ session, fork: "fork", last: head - 1 }))
        const forked = "the session was forked, and it does not run in the copy"
        const both = [
          ["shell_1", forked, true],
          ["shell_2", forked, true]
        ]
        assert.deepStrictEqual(yield* ends("fork"), both)
        yield* (yield* runtime.session({ id: "fork", resume: true })).prompt("is it up?")
        assert.deepStrictEqual(yield* ends("fork"), both)
        assert.deepStrictEqual(
          yield* news("fork"),
          ["shell_1", "shell_2"].map((id) => `The background command ${id} has ended: ${forked}. ${kept}`)
        )
        assert.deepStrictEqual(yield* ends(session), [["shell_1", "exit code 1", false]])
      }).pipe(Effect.provide(world))
    )
  })
}
