import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, Logger, Option, type Scope, TestClock } from "effect"
import { Tools } from "../../src/agent/Tools.ts"
import { Approvals } from "../../src/approval/Approvals.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { Models } from "../../src/model/Models.ts"
import { ClearSession, CreateSession, DeleteSession, EndSession, ForkSession } from "../../src/runtime/Command.ts"
import { Projects } from "../../src/runtime/Projects.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import { type SessionDriver, toStore } from "../../src/runtime/SessionDriver.ts"
import { SessionStore } from "../../src/runtime/SessionStore.ts"
import * as Testing from "../../src/testing.ts"
import { memoryDriver } from "../support/memoryDriver.ts"

type Use = Effect.Effect<unknown, object, Runtime | Scope.Scope>

interface Case {
  readonly instead: (stuck: Effect.Effect<never>, usual: SessionDriver) => Partial<SessionDriver>
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
  "select, whether a session has had a task": {
    instead: (stuck, usual) => ({
      select: (session, which) => (which.tags?.[0] === "TaskQueued" ? stuck : usual.select(session, which))
    }),
    before: Effect.zipRight(created, requested(new EndSession({ session: "s" }))),
    ask: prompted
  },
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

const logging = (logged: Array<string>) =>
  Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ cause, message }) => void logged.push(`${String(message)} ${Cause.pretty(cause)}`))
  )

const world = (driver: SessionDriver, logged: Array<string>) =>
  Layer.provideMerge(
    Testing.layer({ model: ["A", "B"], store: Layer.sync(SessionStore, () => toStore(driver)) }),
    logging(logged)
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
    const driver = memoryDriver((usual) => instead(stuck, usual))
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
          if (what !== "append")
            assert.match(logged.join("\n"), new RegExp(`did not answer at ${what.split(",")[0]} within 30s`))
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

  it.effect("never answers at append, within 30 seconds, and the log says so (R9)", () =>
    Effect.gen(function* () {
      const logged: Array<string> = []
      const asked = yield* Deferred.make<void>()
      const stuck = Effect.zipRight(Deferred.succeed(asked, undefined), Effect.never)
      const driver = memoryDriver(() => ({ append: () => stuck }))
      const using = Effect.zipRight(Effect.forkDaemon(Effect.scoped(created)), Deferred.await(asked))
      const fiber = yield* Effect.forkDaemon(Effect.provide(Effect.scoped(using), world(driver, logged)))
      yield* Deferred.await(asked)
      yield* Effect.repeatN(Effect.zipRight(TestClock.adjust("1 second"), Effect.yieldNow()), 31)
      assert(Option.isSome(yield* fiber.poll), "the runtime has ended")
      assert.include(logged.join("\n"), "an event was not stored within 30s")
    })
  )

  it.effect("never answers at append, and more events wait for it than may (R9)", () =>
    Effect.gen(function* () {
      const logged: Array<string> = []
      const driver = memoryDriver(() => ({ append: () => Effect.never }))
      const isSent = yield* Deferred.make<void>()
      const using = Effect.gen(function* () {
        const { send } = yield* Runtime
        yield* send(new CreateSession({ session: "s", project: "/work" }))
        // Each is an event; the session takes no more of them once 1024 wait.
        for (let sent = 0; sent < 1100; sent++) yield* send(new ClearSession({ session: "s" }))
        yield* Deferred.succeed(isSent, undefined)
      })
      const fiber = yield* Effect.forkDaemon(Effect.provide(Effect.scoped(using), world(driver, logged)))
      yield* Deferred.await(isSent)
      yield* inTime(fiber)
    })
  )

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

/** A runtime whose projects are opened by code of the user. */
const ofProjects = (get: Projects["Type"]["get"], logged: Array<string>) =>
  Runtime.layerProjects.pipe(
    Layer.provide(
      Layer.succeed(Projects, { get, locate: (directory) => Effect.succeed({ project: directory, directory }) })
    ),
    Layer.provide(Layer.succeed(Models, { profiles: ["p"], preferred: "p", get: () => Effect.never })),
    Layer.provide(Approvals.layer({ policy: "allow" })),
    Layer.provide(Layer.sync(SessionStore, () => toStore(memoryDriver(() => ({}))))),
    Layer.provideMerge(logging(logged))
  )

describe("a runtime ends in time although code of its user that opens projects", () => {
  it.effect("never answers, and the log says so (R9)", () =>
    Effect.gen(function* () {
      const logged: Array<string> = []
      const asked = yield* Deferred.make<void>()
      const stuck = Effect.zipRight(Deferred.succeed(asked, undefined), Effect.never)
      const using = Effect.zipRight(Effect.forkDaemon(Effect.scoped(created)), Deferred.await(asked))
      const fiber = yield* Effect.forkDaemon(
        Effect.provide(
          using,
          ofProjects(() => stuck, logged)
        )
      )
      yield* inTime(fiber)
      assert.include(logged.join("\n"), "The code that opens projects did not answer at /work within 30s")
    })
  )

  it.effect("never lets go of one, and the log says so (R9)", () =>
    Effect.gen(function* () {
      const logged: Array<string> = []
      const tools = yield* Effect.provide(Tools, Tools.layerEffect(Toolset.make([])))
      const get: Projects["Type"]["get"] = (place) =>
        Effect.acquireRelease(Effect.succeed({ ...place, tools }), () => Effect.never)
      const fiber = yield* Effect.forkDaemon(Effect.provide(Effect.scoped(created), ofProjects(get, logged)))
      yield* inTime(fiber)
      assert.include(logged.join("\n"), "The code that opens projects did not let go of /work within 30s")
    })
  )
})

describe("a session driver that is an object of a class", () => {
  it.effect("keeps its own `this` in whatever it is asked for (R9)", () => {
    const asked = new Set<string>()
    const plain = memoryDriver(() => ({}))
    const driver = new Proxy(plain, {
      get: (target, name, receiver) => {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== "function") return member
        return function (this: unknown, ...given: ReadonlyArray<unknown>): unknown {
          asked.add(String(name))
          assert.strictEqual(this, receiver, String(name))
          return Reflect.apply(member, target, given)
        }
      }
    })
    return Effect.gen(function* () {
      yield* prompted
      yield* forked
      for (const name of ["open", "append", "select"]) assert.include([...asked], name)
    }).pipe(Effect.scoped, Effect.provide(world(driver, [])))
  })
})
