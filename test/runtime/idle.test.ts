import { assert, describe, it } from "@effect/vitest"
import { Chunk, Context, Effect, Fiber, Layer, Option, Schema, Stream, TestClock } from "effect"
import { Approvals } from "../../src/approval/Approvals.ts"
import {
  DeleteSession,
  EndSession,
  ResumeSession,
  SetApprovalPolicy,
  SuspendSession
} from "../../src/runtime/Command.ts"
import * as MemorySessionStore from "../../src/runtime/MemorySessionStore.ts"
import { IdleKept } from "../../src/runtime/OpenSessions.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import { defaults } from "../../src/runtime/RuntimeOptions.ts"
import type { SessionHandle } from "../../src/runtime/SessionHandle.ts"
import { SessionStore } from "../../src/runtime/SessionStore.ts"
import * as Testing from "../../src/testing.ts"
import * as Tool from "../../src/tool/Tool.ts"

const act = Tool.make("act", {
  description: "d",
  parameters: Schema.Struct({}),
  success: Schema.String,
  approval: "always",
  handler: () => Effect.succeed("done")
})
const acting = [{ call: { name: "act", arguments: {} } }] as const

/** Long enough for a session that nobody uses. */
const idle = Effect.zipRight(TestClock.adjust(defaults.releaseIdleAfter), TestClock.adjust(defaults.releaseIdleAfter))

const recorded = (session: string) =>
  Effect.gen(function* () {
    const { subscribe } = yield* Runtime
    return Chunk.toReadonlyArray(yield* Stream.runCollect(subscribe(session, { from: 1, follow: false })))
  })
const tags = (session: string) => Effect.map(recorded(session), (seen) => seen.map(({ event }) => event._tag))

/** Whether no owner has it. */
const isReleased = (session: string) =>
  Effect.flatMap(SessionStore, (store) => Effect.isSuccess(Effect.scoped(store.open({ session }))))

/** Submits a prompt and approves what it asks for, for the whole session. */
const approved = (session: SessionHandle) =>
  Effect.gen(function* () {
    const task = yield* session.submit("go")
    const asked = yield* task.events.pipe(
      Stream.filterMap(({ event }) =>
        event._tag === "ApprovalRequested" ? Option.some(event.request) : Option.none()
      ),
      Stream.runHead,
      Effect.flatten
    )
    yield* session.approve(asked, { scope: "session" })
    assert.strictEqual((yield* task.await)._tag, "TaskCompleted")
  })

const layer = Testing.layer({ model: [acting, "One", acting, "Two", acting, "Three"], tools: [act], policy: "ask" })

describe("a session that nobody uses", () => {
  it.scoped("is released by a command as well, which is answered, and keeps what was granted in it (R16)", () =>
    Effect.gen(function* () {
      const runtime = yield* Runtime
      const session = yield* runtime.session({ id: "s", create: { project: "/p" }, by: "ada" })
      yield* approved(session)
      const [{ event }, again] = yield* Effect.all(
        [runtime.request(new SuspendSession({ session: "s", by: "ada" })), session.prompt("again")],
        { concurrency: "unbounded" }
      )
      assert.deepInclude(event, { _tag: "SessionSuspended", by: "ada" })
      assert.strictEqual(again.text, "Two")
      yield* runtime.request(new SuspendSession({ session: "s" }))
      yield* Effect.repeat(Effect.zipRight(Effect.yieldNow(), isReleased("s")), { until: (free) => free })
      const seen = yield* recorded("s")
      assert.strictEqual(seen.filter(({ event }) => event._tag === "ApprovalRequested").length, 1)
      assert.deepStrictEqual(Testing.Timeline.violations(seen), [])
    }).pipe(Effect.provide(layer))
  )

  it.scoped("is released, keeps what was granted and set in it, and is opened by its next command (R16)", () =>
    Effect.gen(function* () {
      const session = yield* (yield* Runtime).session({ id: "s", create: { project: "/p" } })
      yield* approved(session)
      yield* idle
      assert.isTrue(yield* isReleased("s"))
      assert.strictEqual((yield* tags("s")).at(-1), "SessionSuspended")
      assert.strictEqual((yield* session.prompt("again")).text, "Two")
      const runtime = yield* Runtime
      yield* runtime.request(new SetApprovalPolicy({ session: "s", policy: "deny" }))
      yield* idle
      assert.strictEqual((yield* (yield* Approvals).state("s")).policy, "deny")
      const seen = yield* recorded("s")
      assert.strictEqual(seen.filter(({ event }) => event._tag === "ApprovalRequested").length, 1)
      assert.strictEqual(seen.filter(({ event }) => event._tag === "SessionResumed").length, 1)
      assert.deepStrictEqual(Testing.Timeline.violations(seen), [])
      yield* runtime.request(new EndSession({ session: "s" }))
      assert.deepStrictEqual((yield* (yield* Approvals).state("s")).grants, [])
    }).pipe(Effect.provide(layer))
  )

  it.scoped("leaves nothing of what was granted and set in it to another one of its name once it is deleted (A6)", () =>
    Effect.gen(function* () {
      const runtime = yield* Runtime
      yield* approved(yield* runtime.session({ id: "s", create: { project: "/p" } }))
      yield* runtime.request(new SetApprovalPolicy({ session: "s", policy: "edits" }))
      yield* idle
      assert.isTrue(yield* isReleased("s"))
      yield* runtime.request(new DeleteSession({ session: "s" }))
      yield* runtime.session({ id: "s", create: { project: "/q" } })
      const { grants, policy } = yield* (yield* Approvals).state("s")
      assert.deepStrictEqual({ grants, policy }, { grants: [], policy: "ask" })
    }).pipe(Effect.provide(layer))
  )

  it.scoped("gives up what was set in it for those that went idle after it, where these are many (R5)", () =>
    Effect.gen(function* () {
      const runtime = yield* Runtime
      const approvals = yield* Approvals
      const policyOf = (session: string) => Effect.map(approvals.state(session), ({ policy }) => policy)
      const rested = (session: string) =>
        Effect.gen(function* () {
          yield* Effect.scoped(runtime.session({ id: session, create: { project: "/p" } }))
          yield* runtime.request(new SetApprovalPolicy({ session, policy: "deny" }))
          yield* runtime.request(new SuspendSession({ session }))
          yield* Effect.repeat(Effect.zipRight(Effect.yieldNow(), isReleased(session)), { until: (free) => free })
        })
      yield* Effect.forEach(["oldest", "latest"], rested, { discard: true })
      assert.strictEqual(yield* policyOf("oldest"), "deny")
      yield* rested("one more")
      yield* rested("another one")
      assert.deepStrictEqual(yield* Effect.forEach(["oldest", "latest"], policyOf), ["ask", "deny"])
    }).pipe(Effect.provide(Layer.provide(layer, Layer.succeed(IdleKept, 2))))
  )

  it.scoped("has nothing of what was granted in it once it was ended by another runtime meanwhile (A6)", () =>
    Effect.gen(function* () {
      const store = Layer.succeed(SessionStore, Context.get(yield* Layer.build(MemorySessionStore.layer), SessionStore))
      const built = Layer.build(
        Layer.fresh(Testing.layer({ model: [acting, "One"], tools: [act], policy: "ask", store }))
      )
      const [one, other] = [yield* built, yield* built]
      const [own, others] = [Context.get(one, Runtime), Context.get(other, Runtime)]
      const resumed = ({ request }: Runtime["Type"]) =>
        Effect.retry(Effect.zipRight(Effect.yieldNow(), request(new ResumeSession({ session: "s" }))), { times: 1000 })
      yield* approved(yield* own.session({ id: "s", create: { project: "/p" } }))
      yield* own.request(new SuspendSession({ session: "s" }))
      yield* resumed(others)
      yield* others.request(new EndSession({ session: "s" }))
      yield* resumed(own)
      assert.deepStrictEqual((yield* Context.get(one, Approvals).state("s")).grants, [])
    })
  )

  it.scoped(
    "is not released while it is watched or waits for a decision, and who watches it stored sees it opened (R16)",
    () =>
      Effect.gen(function* () {
        const session = yield* (yield* Runtime).session({ id: "s", create: { project: "/p" } })
        const watching = yield* Effect.fork(Stream.runDrain(session.events({ from: 1 })))
        yield* idle
        assert.isFalse(yield* isReleased("s"))
        yield* Fiber.interrupt(watching)
        const task = yield* session.submit("go")
        const asked = yield* task.events.pipe(
          Stream.filterMap(({ event }) => (event._tag === "ApprovalRequested" ? Option.some(event) : Option.none())),
          Stream.runHead,
          Effect.flatten
        )
        yield* TestClock.adjust("29 seconds")
        assert.isFalse(yield* isReleased("s"))
        yield* session.deny(asked.request)
        yield* task.await
        yield* idle
        assert.isTrue(yield* isReleased("s"))
        const from = (yield* recorded("s")).length + 1
        const later = yield* Effect.fork(Stream.runCollect(Stream.take(session.events({ from }), 3)))
        yield* Effect.yieldNow()
        yield* session.submit("again")
        const seen = Chunk.toReadonlyArray(yield* Fiber.join(later))
        assert.deepStrictEqual(
          seen.map(({ event, seq }) => [seq, event._tag]),
          [
            [from, "SessionResumed"],
            [from + 1, "TaskQueued"],
            [from + 2, "TaskStarted"]
          ]
        )
      }).pipe(Effect.provide(layer))
  )
})
