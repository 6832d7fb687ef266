import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, Logger, Option, type Scope, TestClock } from "effect"
import { DeleteSession, EndSession, ForkSession } from "../../src/runtime/Command.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import { type SessionDriver, toStore } from "../../src/runtime/SessionDriver.ts"
import { SessionStore } from "../../src/runtime/SessionStore.ts"
import * as Testing from "../../src/testing.ts"
import { memoryDriver } from "../support/memoryDriver.ts"

type Use = Effect.Effect<unknown, object, Runtime | Scope.Scope>

interface Case {
  readonly instead: (stuck: Effect.Effect<never>) => Partial<SessionDriver>
  readonly before?: Use
  readonly ask: Use
}

const created = Effect.flatMap(Runtime, (runtime) => runtime.session({ id: "s", create: { project: "/work" } }))
const requested = (command: DeleteSession | EndSession | ForkSession): Use =>
  Effect.flatMap(Runtime, (runtime) => runtime.request(command))
const forked = requested(new ForkSession({ session: "s", fork: "t" }))
const prompted = Effect.flatMap(created, (session) => session.prompt("go"))

const cases: Readonly<Record<string, Case>> = {
  open: { instead: (stuck) => ({ open: () => stuck }), ask: created },
  append: { instead: (stuck) => ({ append: () => stuck }), ask: prompted },
  copy: { instead: (stuck) => ({ copy: () => stuck }), before: created, ask: forked },
  delete: {
    instead: (stuck) => ({ delete: () => stuck }),
    before: created,
    ask: requested(new DeleteSession({ session: "s" }))
  },
  select: { instead: (stuck) => ({ select: () => stuck }), before: created, ask: forked },
  get: { instead: (stuck) => ({ get: () => stuck }), ask: requested(new DeleteSession({ session: "s" })) },
  list: { instead: (stuck) => ({ list: () => stuck }), before: created, ask: forked }
}

const ways = {
  "never answers": (stuck: Effect.Effect<never>) => stuck,
  "never answers and cannot be interrupted": Effect.uninterruptible
} as const

const passes = Effect.repeatN(Effect.zipRight(TestClock.adjust("10 seconds"), Effect.yieldNow()), 20)

/** Gives what a fiber comes to by then, without a wait for one that does not end. */
const inTime = <A, E>(fiber: Fiber.RuntimeFiber<A, E>) =>
  Effect.gen(function* () {
    yield* passes
    const exit = yield* fiber.poll
    assert(Option.isSome(exit), "the runtime has ended")
    return yield* exit.value
  })

const world = (driver: SessionDriver, logged: Array<string>) =>
  Layer.provideMerge(
    Testing.layer({ model: ["A", "B"], store: Layer.sync(SessionStore, () => toStore(driver)) }),
    Logger.replace(
      Logger.defaultLogger,
      Logger.make(({ cause, message }) => void logged.push(`${String(message)} ${Cause.pretty(cause)}`))
    )
  )

/** Runs a runtime over a driver until it was asked for what it never does, and ends it; gives how that ended for who asked. */
const ended = (
  { ask, before = Effect.void, instead }: Case,
  way: (stuck: Effect.Effect<never>) => Effect.Effect<never>,
  logged: Array<string>
) =>
  Effect.gen(function* () {
    const asked = yield* Deferred.make<void>()
    const stuck = way(Effect.zipRight(Deferred.succeed(asked, undefined), Effect.never))
    const using = Effect.gen(function* () {
      yield* before
      const asking = yield* Effect.forkDaemon(Effect.exit(ask))
      yield* Deferred.await(asked)
      return asking
    })
    const driver = memoryDriver(() => instead(stuck))
    const fiber = yield* Effect.forkDaemon(Effect.provide(Effect.scoped(using), world(driver, logged)))
    yield* Deferred.await(asked)
    return yield* Fiber.join(yield* inTime(fiber))
  })

describe("a runtime ends in time although its user's session driver", () => {
  for (const [how, way] of Object.entries(ways)) {
    for (const [what, one] of Object.entries(cases))
      it.effect(`${how} at ${what}: who asked is told by a typed failure, and the log says why (R9)`, () =>
        Effect.gen(function* () {
          const logged: Array<string> = []
          const exit = yield* ended(one, way, logged)
          assert(Exit.isFailure(exit) && exit.cause._tag === "Fail", String(exit))
          if (what !== "append") assert.include(logged.join("\n"), `did not answer at ${what} within 30s`)
        })
      )
    it.effect(`${how} as it lets go of a session, and the log says so (R9)`, () =>
      Effect.gen(function* () {
        const logged: Array<string> = []
        const driver = memoryDriver(({ open }) => ({
          open: (options) => Effect.acquireRelease(open(options), () => way(Effect.never))
        }))
        const using = Effect.scoped(prompted).pipe(Effect.provide(world(driver, logged)))
        const fiber = yield* Effect.forkDaemon(using)
        assert.strictEqual((yield* inTime(fiber)).text, "A")
        assert.include(logged.join("\n"), "did not let go of session s within 30s")
      })
    )
  }

  it.effect("crashes as it lets go of a session, which can be opened again (R9)", () => {
    const logged: Array<string> = []
    const driver = memoryDriver(({ open }) => ({
      open: (options) => Effect.acquireRelease(open(options), () => Effect.die(new Error("boom")))
    }))
    return Effect.gen(function* () {
      yield* prompted
      yield* requested(new EndSession({ session: "s" }))
      const session = yield* (yield* Runtime).session({ id: "s", resume: true })
      assert.strictEqual((yield* session.prompt("go")).text, "B")
      assert.match(logged.join("\n"), /let go of session s[^]*boom/)
    }).pipe(Effect.scoped, Effect.provide(world(driver, logged)))
  })
})
