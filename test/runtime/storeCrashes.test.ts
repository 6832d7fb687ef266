import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, Logger, type Scope, TestClock } from "effect"
import { type DatabaseError, DatabaseFailed } from "../../src/database/DatabaseError.ts"
import { ForkSession } from "../../src/runtime/Command.ts"
import * as MemorySessionStore from "../../src/runtime/MemorySessionStore.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import * as SessionDriver from "../../src/runtime/SessionDriver.ts"
import { SessionStore } from "../../src/runtime/SessionStore.ts"
import * as Testing from "../../src/testing.ts"
import { memoryDriver } from "../support/memoryDriver.ts"

/** A store in memory that does something else with the first batch that has an event of this kind. */
const odd = (tag: string, instead: Effect.Effect<never, DatabaseError>): Layer.Layer<SessionStore> =>
  Layer.provide(
    Layer.effect(
      SessionStore,
      Effect.map(SessionStore, (store) => {
        let isOver = false
        return SessionStore.of({
          ...store,
          append: (lease, batch) => {
            if (isOver || !batch.some(({ event }) => event._tag === tag)) return store.append(lease, batch)
            isOver = true
            return instead
          }
        })
      })
    ),
    MemorySessionStore.layer
  )

const tags = ["TaskQueued", "ModelRequested", "TaskCompleted"] as const
const crashes = {
  dies: Effect.die(new Error("boom")),
  "interrupts itself": Effect.interrupt,
  "fails with no error of its type": Effect.fail("untyped" as never)
} as const

describe("a session store", () => {
  it.scopedLive.each(Object.keys(crashes) as ReadonlyArray<keyof typeof crashes>)(
    "that %s fails what waits for it by its type, and the log says what it was (R5, T19)",
    (how) =>
      Effect.forEach(tags, (tag) => {
        const logged: Array<string> = []
        const logger = Logger.make(
          ({ cause, message }) => void logged.push(`${String(message)} ${Cause.pretty(cause)}`)
        )
        return Effect.gen(function* () {
          const session = yield* (yield* Runtime).session({ id: "s", create: { project: "/work" } })
          const ended = yield* Fiber.await(yield* Effect.fork(session.prompt("go")))
          assert(Exit.isFailure(ended))
          assert.strictEqual(ended.cause._tag, "Fail", `${tag}: ${Cause.pretty(ended.cause)}`)
          assert.include(Cause.pretty(ended.cause), "an event was not stored")
          const [first, ...others] = logged.filter((line) => line.includes("session store"))
          assert.match(first ?? "", /^The session store crashed .*(?:boom|interrupted|untyped)/i)
          assert.deepStrictEqual(others, [])
        }).pipe(
          Effect.provide(
            Layer.provideMerge(
              Testing.layer({ model: ["A"], store: odd(tag, crashes[how]) }),
              Logger.replace(Logger.defaultLogger, logger)
            )
          )
        )
      })
  )

  it.scopedLive.each(Object.keys(crashes) as ReadonlyArray<keyof typeof crashes>)(
    "whose driver %s where it is asked fails by its type, and the log says of what (R5, T19)",
    (how) => {
      const logged: Array<string> = []
      const logger = Logger.make(({ cause }) => void logged.push(Cause.pretty(cause)))
      const crash = () => crashes[how]
      const driver = { open: crash, append: crash, delete: crash, size: crash, select: crash, get: crash, list: crash }
      const store = Layer.sync(SessionStore, () => SessionDriver.toStore(driver))
      return Effect.gen(function* () {
        const runtime = yield* Runtime
        const { delete: remove, list, open, read, size } = yield* SessionStore
        const lease = { session: "s", epoch: 1, head: 0, created: true, project: "/work", profile: "p" }
        const asked: ReadonlyArray<Effect.Effect<unknown, object, Scope.Scope>> = [
          runtime.session({ id: "s", create: { project: "/work" } }),
          open({ session: "s" }),
          list({ limit: 1 }),
          read("s", 1, 1),
          size("s"),
          remove(lease)
        ]
        for (const effect of asked) {
          logged.length = 0
          const ended = yield* Effect.exit(effect)
          assert(Exit.isFailure(ended) && ended.cause._tag === "Fail", String(ended))
          assert.match(Cause.pretty(ended.cause), /crashed at (?:open|list|select|size|delete)/)
          assert.notInclude(Cause.pretty(ended.cause), "bug in Tollgate")
          assert.match(logged.join("\n"), /boom|interrupted|untyped/i)
        }
      }).pipe(
        Effect.provide(
          Layer.provideMerge(
            Layer.merge(Testing.layer({ model: ["A"], store }), store),
            Logger.replace(Logger.defaultLogger, logger)
          )
        )
      )
    }
  )

  const wrongs = {
    "nothing at open": [{ open: () => Effect.void }, "open"],
    "a lease without a number at open": [{ open: () => Effect.succeed({ session: "s", project: "/work" }) }, "open"],
    "no list at select": [{ select: () => Effect.void }, "select"],
    "a row without an event at select": [{ select: () => Effect.succeed([{ seq: 1 }]) }, "select"],
    "nothing at get": [{ get: () => Effect.succeed(null) }, "get"],
    "a row of a table at list": [{ list: () => Effect.succeed([{ id: "s", head: 3 }]) }, "list"]
  } as const
  it.scopedLive.each(Object.entries(wrongs))(
    "whose driver gives %s fails by its type, and says what to correct (R5, T19)",
    ([, [wrong, at]]) => {
      // Of a driver that no compiler has seen.
      const driver = memoryDriver(() => wrong as unknown as Partial<SessionDriver.SessionDriver>)
      return Effect.gen(function* () {
        const runtime = yield* Runtime
        yield* Effect.exit(runtime.session({ id: "s", create: { project: "/work" } }))
        const asked = yield* Effect.forEach(
          [
            Effect.asVoid(runtime.session({ id: "s", create: { project: "/work" } })),
            Effect.asVoid(runtime.session({ resume: { lastOf: "/work" } })),
            Effect.asVoid(runtime.request(new ForkSession({ session: "s", fork: "t" })))
          ],
          Effect.exit
        )
        const told = asked.map((exit) => (Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "")).join("\n")
        assert.include(told, `what it gave at ${at} is not what its type says. Correct the session store.`)
        assert.notInclude(told, "bug in Tollgate")
      }).pipe(
        Effect.provide(
          Testing.layer({ model: ["A"], store: Layer.sync(SessionStore, () => SessionDriver.toStore(driver)) })
        )
      )
    }
  )

  it.scopedLive("that failed once keeps no session from being opened again at once (R5, R9)", () => {
    const full = new DatabaseFailed({ file: "of sessions", code: "ENOSPC", reason: "the disk is full." })
    return Effect.gen(function* () {
      const runtime = yield* Runtime
      const first = yield* runtime.session({ id: "s", create: { project: "/work" } })
      assert.isTrue(Exit.isFailure(yield* Effect.exit(first.prompt("go"))))
      const again = yield* runtime.session({ id: "s", resume: true })
      assert.strictEqual((yield* again.prompt("go")).text, "B")
    }).pipe(Effect.provide(Testing.layer({ model: ["A", "B"], store: odd("ModelAnswered", full) })))
  })

  const odds: Readonly<Record<string, Partial<SessionDriver.SessionDriver>>> = {
    "crashes as it gathers events": { gather: Effect.die(new Error("boom")) },
    "has nothing to gather events with": { gather: 7 as never },
    "cannot pass sessions on": { handover: {} as never }
  }
  it.scopedLive.each(Object.entries(odds))("whose driver %s keeps what it is given (R5, T19)", ([, driver]) =>
    Effect.gen(function* () {
      const session = yield* (yield* Runtime).session({ id: "s", create: { project: "/work" } })
      assert.strictEqual((yield* session.prompt("go")).text, "A")
    }).pipe(
      Effect.provide(
        Testing.layer({
          model: ["A"],
          store: Layer.sync(SessionStore, () => SessionDriver.toStore(memoryDriver(() => driver)))
        })
      )
    )
  )

  it.effect("that never answers does not keep its runtime from ending (R9)", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const store = odd("ModelRequested", Effect.zipRight(Deferred.succeed(asked, undefined), Effect.never))
      const using = Effect.gen(function* () {
        const session = yield* (yield* Runtime).session({ id: "s", create: { project: "/work" } })
        yield* session.submit("go")
        yield* Deferred.await(asked)
      })
      const fiber = yield* Effect.fork(Effect.provide(Effect.scoped(using), Testing.layer({ model: ["A"], store })))
      yield* Deferred.await(asked)
      yield* Effect.forkDaemon(Effect.forever(Effect.zipRight(TestClock.adjust("10 seconds"), Effect.yieldNow())))
      assert.isTrue(Exit.isSuccess(yield* Fiber.await(fiber)))
    })
  )
})
