import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Schema, TestClock } from "effect"
import { Approvals } from "../../src/approval/Approvals.ts"
import { Interrupt, SubmitPrompt } from "../../src/runtime/Command.ts"
import type { Envelope } from "../../src/runtime/Envelope.ts"
import type { Event } from "../../src/runtime/Event.ts"
import * as MemorySessionStore from "../../src/runtime/MemorySessionStore.ts"
import { SessionStore } from "../../src/runtime/SessionStore.ts"
import * as Testing from "../../src/testing.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { stdout } from "../../src/tool/ToolCall.ts"
import { Delegate } from "../../src/tools/Delegate.ts"
import { storeIn } from "../support/doomed.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"
import { delegate, results, sentTo, told, turn } from "./Delegating.ts"

const common = { description: "d", parameters: Schema.Struct({}), success: Schema.String, approval: "never" } as const
const Hang = Tool.make("hang", {
  ...common,
  handler: (_, call) => Effect.zipRight(stdout(call, "half"), Effect.never)
})
/** Heeds no interruption for a while. */
const Deaf = Tool.make("deaf", {
  ...common,
  handler: () => Effect.as(Effect.uninterruptible(Effect.sleep("1 hour")), "")
})
const Long = Tool.make("long", { ...common, handler: () => Effect.as(Effect.sleep("2 hours"), "") })
const Ask = Tool.make("ask", { ...common, approval: "always", handler: () => Effect.succeed("asked") })
const tools = [Delegate, Hang, Deaf, Long, Ask] as const

const call = (name: string) => ({ call: { name } })
const nested = (...inner: ReadonlyArray<string>) => [
  turn("go", delegate("one"), call("hang")),
  turn("one", delegate("two"), call("hang")),
  turn("two", ...inner.map(call)),
  turn("after", { say: "Back." })
]

const startsOf = (tool: string) => {
  let seen = 0
  return (count: number) =>
    (event: Event): event is Event =>
      event._tag === "ToolCallStarted" && event.tool === tool && ++seen === count
}

/** Submits a prompt, interrupts the session once `until` has happened, and waits for the end. */
const interrupted = (session: Testing.TestSession, until: (event: Event) => event is Event) =>
  Effect.gen(function* () {
    yield* session.send(new SubmitPrompt({ session: session.id, task: "t", prompt: "go" }))
    yield* session.awaitEvent(until)
    yield* session.send(new Interrupt({ session: session.id }))
    yield* Effect.forkDaemon(TestClock.adjust("1 minute"))
    return yield* session.awaitEnd("t")
  })

describe("an interruption", () => {
  it.effect("reaches every depth: each call ends once with what it has, each worker before its call (U8, R4)", () =>
    Effect.gen(function* () {
      const session = yield* Testing.session()
      const end = yield* interrupted(session, startsOf("hang")(1))
      assert.strictEqual(end._tag, "TaskInterrupted")
      const recorded = yield* session.recorded
      assert.deepStrictEqual(Testing.Timeline.violations(recorded), [])
      assert.deepStrictEqual(told(recorded, "WorkerInterrupted"), ["WorkerInterrupted W1 W1", "WorkerInterrupted W1"])
      const ended = results(recorded).map(([path, tool]) => `${path} ${tool}`)
      const expected = ["root delegate", "root hang", "root/W1 delegate", "root/W1 hang", "root/W1/W1 hang"]
      assert.deepStrictEqual(ended.toSorted(), expected)
      const inner = results(recorded).find(([path]) => path === "root/W1/W1")
      assert.include(inner?.[2], '"partial":"half"')
      for (const [, , content] of results(recorded)) {
        assert.include(content, "was interrupted")
      }
      const after = yield* session.run("after")
      assert.deepInclude(after.at(-1)?.event, { _tag: "TaskCompleted", text: "Back." })
    }).pipe(Effect.provide(Testing.layer({ tools, model: nested("hang") })))
  )

  it.effect("withdraws what a worker was asking for (U8, U5)", () =>
    Effect.gen(function* () {
      const session = yield* Testing.session()
      yield* interrupted(session, (event) => event._tag === "ApprovalRequested")
      const recorded = yield* session.recorded
      assert.deepStrictEqual(Testing.Timeline.violations(recorded), [])
      assert.deepStrictEqual(told(recorded, "ApprovalResolved"), ["ApprovalResolved W1 W1"])
      assert.deepStrictEqual((yield* (yield* Approvals).state()).pending, [])
    }).pipe(Effect.provide(Testing.layer({ tools, model: nested("ask"), policy: "ask" })))
  )

  it.effect("closes what does not heed it once its grace is over, the deepest first (U8, R4)", () =>
    Effect.gen(function* () {
      const session = yield* Testing.session()
      const end = yield* interrupted(session, startsOf("deaf")(1))
      assert.strictEqual(end._tag, "TaskInterrupted")
      yield* TestClock.adjust("2 hours")
      const recorded = yield* session.recorded
      assert.deepStrictEqual(Testing.Timeline.violations(recorded), [])
      assert.deepStrictEqual(told(recorded, "WorkerInterrupted"), ["WorkerInterrupted W1 W1", "WorkerInterrupted W1"])
    }).pipe(
      Effect.provide(Testing.layer({ tools, model: nested("deaf"), settings: { interruptGrace: Duration.seconds(1) } }))
    )
  )

  it.effect("by a deadline of the call ends its worker before the call, and the task goes on (T5, R4)", () =>
    Effect.gen(function* () {
      const session = yield* Testing.session()
      yield* session.send(new SubmitPrompt({ session: session.id, task: "t", prompt: "go" }))
      yield* session.awaitEvent(startsOf("deaf")(1))
      yield* TestClock.adjust("2 minutes")
      yield* session.awaitEvent(startsOf("long")(1))
      yield* TestClock.adjust("3 hours")
      assert.deepInclude(yield* session.awaitEnd("t"), { _tag: "TaskCompleted", text: "Later, then." })
      const recorded = yield* session.recorded
      assert.deepStrictEqual(Testing.Timeline.violations(recorded), [])
      const ends = ["WorkerInterrupted W1", "ToolStragglerEnded"]
      assert.deepStrictEqual(told(recorded, "WorkerInterrupted", "ToolStragglerEnded"), ends)
    }).pipe(
      Effect.provide(
        Testing.layer({
          tools,
          model: [
            turn("go", delegate("one")),
            turn("one", call("deaf")),
            turn("go", call("long")),
            turn("go", { say: "Later, then." })
          ],
          stack: { timeouts: { tools: { delegate: { limit: Duration.minutes(1) } } } }
        })
      )
    )
  )
})

/** The store as a runtime leaves it that dies once these events are in it. */
const died = (events: ReadonlyArray<Envelope>) =>
  Effect.gen(function* () {
    const store = yield* SessionStore
    const create = { project: "test", profile: "scripted", time: 0 }
    yield* store.append(yield* store.open({ session: "session_1", create }), events)
  }).pipe(Effect.scoped)

const whole = [
  turn("go", delegate("one"), call("ask")),
  turn("one", call("ask"), delegate("two")),
  turn("two", call("ask")),
  turn("two", { say: "the text of two" }),
  turn("one", { say: "the text of one" }),
  turn("go", { say: "Done" })
]

describe("a runtime that died", () => {
  it.effect("leaves workers that are closed once, whenever it did, and numbers new ones on (R4, R9)", () =>
    Effect.gen(function* () {
      const recorded = yield* Effect.gen(function* () {
        const session = yield* Testing.session()
        yield* session.run("go", "t")
        return yield* session.recorded
      }).pipe(Effect.provide(Testing.layer({ tools, model: whole, decide: () => ({ decision: "approve" }) })))
      assert.isAbove(recorded.length, 40)
      for (let length = 2; length <= recorded.length; length++) {
        yield* Effect.gen(function* () {
          yield* died(recorded.slice(0, length))
          const session = yield* Testing.session()
          const queued = yield* (yield* SessionStore).hasTask(session.id, "t")
          if (queued) yield* session.awaitEnd("t")
          yield* session.run("after")
          const events = yield* session.recorded
          assert.deepStrictEqual(Testing.Timeline.violations(events), [], `after ${length} events`)
          const starts = told(events, "WorkerStarted")
          assert.strictEqual(new Set(starts).size, starts.length, `after ${length} events`)
          const seen = JSON.stringify(yield* (yield* SessionStore).messages(session.id, 100))
          assert.notInclude(seen, '"content":"the text of', "messages of workers are not the root's")
        }).pipe(
          Effect.provide(
            Testing.layer({
              tools,
              model: [
                turn("after", { say: "ok" }),
                turn("go", delegate("anew")),
                turn("anew", { say: "anew" }),
                turn("go", { say: "Done" })
              ],
              decide: () => ({ decision: "approve" }),
              store: MemorySessionStore.layer,
              randomIds: true
            })
          )
        )
      }
    })
  )

  it.scopedLive("leaves the root with its own messages in the database, and the call as unknown (R9, U3)", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryDirectory
      const recorded = yield* Effect.gen(function* () {
        const session = yield* Testing.session()
        yield* session.run("go", "t")
        return yield* session.recorded
      }).pipe(Effect.provide(Testing.layer({ tools, model: whole, decide: () => ({ decision: "approve" }) })))
      const inside = recorded.findIndex(
        ({ event }) => event._tag === "ModelAnswered" && event.message.message.content === "the text of two"
      )
      const model = yield* Testing.Scripted.make([turn("after", { say: "ok" })])
      yield* Effect.gen(function* () {
        yield* died(recorded.slice(0, inside + 1))
        const session = yield* Testing.session()
        yield* session.run("after")
        const events = yield* session.recorded
        assert.deepStrictEqual(Testing.Timeline.violations(events), [])
        const unknown = ["ToolCallOutcomeUnknown W1", "ToolCallOutcomeUnknown"]
        assert.deepStrictEqual(told(events, "ToolCallOutcomeUnknown"), unknown)
      }).pipe(Effect.provide(Testing.layer({ tools, model, store: storeIn(folder), randomIds: true })))
      const [request] = yield* sentTo(model, "after")
      const roles = request?.messages.map(({ message }) => message.role)
      assert.deepStrictEqual(roles, ["user", "assistant", "tool", "tool", "user"])
      const [, , result] = request?.messages.map(({ message }) => message.content ?? "") ?? []
      assert.deepStrictEqual(JSON.parse(result ?? "").calls, [
        "ask {}",
        "ask {}",
        'delegate {"task":"two"} (outcome unknown)'
      ])
      assert.notInclude(JSON.stringify(request?.messages), "the text of two")
    })
  )

  it.effect("gives a call that it takes up again a result, also where nothing ends it (R4, A12)", () =>
    Effect.gen(function* () {
      const Stuck = Tool.make("stuck", { ...common, approval: "always", handler: Deaf.handler })
      const stuck = { tools: [Stuck], model: [turn("go", call("stuck"))] }
      const recorded = yield* Effect.gen(function* () {
        const session = yield* Testing.session()
        yield* session.send(new SubmitPrompt({ session: session.id, task: "t", prompt: "go" }))
        yield* session.awaitEvent((event) => event._tag === "ApprovalRequested")
        return yield* session.recorded
      }).pipe(Effect.provide(Testing.layer({ ...stuck, policy: "ask" })))
      yield* Effect.gen(function* () {
        yield* died(recorded)
        const session = yield* Testing.session()
        yield* session.awaitEvent(startsOf("stuck")(1))
        yield* session.send(new Interrupt({ session: session.id }))
        yield* Effect.forkDaemon(TestClock.adjust("1 minute"))
        assert.strictEqual((yield* session.awaitEnd("t"))._tag, "TaskInterrupted")
        assert.deepStrictEqual(Testing.Timeline.violations(yield* session.recorded), [])
      }).pipe(Effect.provide(Testing.layer({ ...stuck, decide: () => ({ decision: "approve" }), randomIds: true })))
    })
  )
})

describe("a tool that does not stop", () => {
  it.live("is waited for at the end of its runtime, and nobody is told that it was stopped (T5, R9)", () =>
    Effect.gen(function* () {
      let ended = false
      const running = yield* Deferred.make<void>()
      const stubborn = Tool.make("stubborn", {
        description: "d",
        parameters: Schema.Struct({}),
        success: Schema.String,
        timeout: Duration.millis(1),
        handler: () =>
          Effect.uninterruptible(
            Effect.zipRight(
              Deferred.await(running),
              Effect.as(
                Effect.sync(() => (ended = true)),
                "done"
              )
            )
          )
      })
      const layer = Testing.layer({
        tools: [stubborn],
        model: [turn("go", call("stubborn")), turn("did not finish", { say: "So be it." })],
        settings: { stragglerGrace: Duration.minutes(1) }
      })
      const events = yield* Effect.gen(function* () {
        const session = yield* Testing.session()
        const events = yield* session.run("go", "t")
        assert.isFalse(ended)
        yield* Effect.forkDaemon(Effect.delay(Deferred.succeed(running, undefined), "20 millis"))
        return events
      }).pipe(Effect.provide(layer))
      assert.isTrue(ended)
      const failed = events.find(({ event }) => event._tag === "ToolCallFailed")
      assert.include(JSON.stringify(failed), "it was told to stop, and may still be running")
    })
  )
})
