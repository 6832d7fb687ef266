import { assert, describe, it } from "@effect/vitest"
import { Chunk, Deferred, Effect, Exit, Fiber, Option, Schema, Scope, Stream } from "effect"
import { EndSession, SuspendSession } from "../../src/runtime/Command.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import type { Submitted } from "../../src/runtime/SessionHandle.ts"
import * as Testing from "../../src/testing.ts"
import * as Tool from "../../src/tool/Tool.ts"

const common = { description: "d", parameters: Schema.Struct({}), success: Schema.String }
const act = Tool.make("act", { ...common, approval: "always", handler: () => Effect.succeed("done") })
const call = (name: string) => [{ call: { name, arguments: {} } }] as const

const create = { project: "test" }

const asked = (task: Submitted) =>
  task.events.pipe(
    Stream.filterMap(({ event }) => (event._tag === "ApprovalRequested" ? Option.some(event) : Option.none())),
    Stream.runHead,
    Effect.flatten
  )

describe("a session", () => {
  it.scoped.each(["length", "content_filter"] as const)(
    "says of an answer that was cut off by %s that it is not whole (R8)",
    (finish) =>
      Effect.gen(function* () {
        const session = yield* (yield* Runtime).session({ create })
        assert.deepInclude(yield* session.prompt("hi"), { text: "half of an ans", finish })
        assert.notProperty(yield* session.prompt("again"), "finish")
      }).pipe(Effect.provide(Testing.layer({ model: [[{ say: "half of an ans" }, { finish }], "whole"] })))
  )

  it.scoped("gives the end of a prompt, and the typed failure of one that did not complete (R8)", () =>
    Effect.gen(function* () {
      const session = yield* (yield* Runtime).session({ create, by: "ada" })
      assert.deepInclude(yield* session.prompt("hi"), { _tag: "TaskCompleted", text: "Done" })
      assert.deepInclude(yield* Effect.flip(session.prompt("again")), { _tag: "TaskUnfinished", outcome: "failed" })
      assert.deepInclude(yield* session.switchModel("scripted"), { profile: "scripted", by: "ada" })
      assert.strictEqual((yield* Effect.flip(session.switchModel("none")))._tag, "RequestRejected")
    }).pipe(Effect.provide(Testing.layer({ model: ["Done"] })))
  )

  it.scoped("starts no task for a prompt without words, whoever sends it, and goes on (R1)", () =>
    Effect.gen(function* () {
      const session = yield* (yield* Runtime).session({ create })
      for (const prompt of ["", " \n\t"]) {
        const refused = yield* Effect.flip(session.prompt(prompt))
        assert.strictEqual(refused._tag, "RequestRejected")
        assert.include(refused.message, "The prompt is empty")
      }
      assert.deepInclude(yield* session.prompt("hi"), { text: "Done" })
    }).pipe(Effect.provide(Testing.layer({ model: ["Done"] })))
  )

  it.scoped.each([
    ["session", { id: "", create }],
    ["session", { id: "x".repeat(201), create }],
    ["session", { id: "a\0b", resume: true }],
    ["by", { by: "", create }],
    ["by", { by: "x".repeat(65), resume: { lastOf: "test" } }]
  ] as const)("refuses to open one by a %s that none has, and goes on (R1)", ([field, options]) =>
    Effect.gen(function* () {
      const runtime = yield* Runtime
      const refused = yield* Effect.flip(Effect.scoped(runtime.session(options)))
      assert.strictEqual(refused._tag, "RequestRejected")
      assert.match(refused.message, new RegExp(`^Nothing was done\\. ${field}: [^{]+\\.$`))
      assert.deepInclude(yield* (yield* runtime.session({ create })).prompt("hi"), { text: "Done" })
    }).pipe(Effect.provide(Testing.layer({ model: ["Done"] })))
  )

  it.scoped("cancels the task of a prompt that is interrupted, and one that is told to end, once (R4)", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const wait = Tool.make("wait", {
        ...common,
        readOnly: true,
        timeout: 0,
        handler: () => Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never)
      })
      yield* Effect.gen(function* () {
        const session = yield* (yield* Runtime).session({ id: "s", create })
        const prompting = yield* Effect.fork(session.prompt("hi"))
        yield* Deferred.await(begun)
        const behind = yield* session.submit("and then")
        yield* Fiber.interrupt(prompting)
        yield* behind.cancel
        assert.deepInclude(yield* behind.await, { _tag: "TaskInterrupted", by: "user" })
        yield* behind.cancel
        const seen = Chunk.toReadonlyArray(yield* Stream.runCollect(session.events({ from: 1, follow: false })))
        assert.strictEqual(seen.filter(({ event }) => event._tag === "TaskInterrupted").length, 2)
        assert.deepStrictEqual(Testing.Timeline.violations(seen), [])
        const own = Chunk.toReadonlyArray(yield* Stream.runCollect(behind.events))
        assert.isTrue(own.every(({ task }) => task === behind.id))
        assert.strictEqual(own[0]?.event._tag, "TaskQueued")
        assert.strictEqual(own.at(-1)?.event._tag, "TaskInterrupted")
      }).pipe(Effect.provide(Testing.layer({ model: [call("wait")], tools: [wait] })))
    })
  )

  it.scoped(
    "keeps a call that stands apart out of the conversation, and has its result in the log all the same (U6)",
    () =>
      Effect.gen(function* () {
        const session = yield* (yield* Runtime).session({ id: "s", create })
        for (const how of [{}, { apart: true }]) {
          const task = yield* session.invoke("look", {}, how)
          assert.deepInclude(yield* task.await, { _tag: "TaskCompleted", text: "seen" })
          const own = Chunk.toReadonlyArray(yield* Stream.runCollect(task.events)).map(({ event }) => event._tag)
          assert.include(own, "ToolCallCompleted")
          assert.strictEqual(own.includes("MessageRecorded"), !("apart" in how))
        }
      }).pipe(
        Effect.provide(
          Testing.layer({
            model: [],
            tools: [
              Tool.make("look", { ...common, mode: "manual", readOnly: true, handler: () => Effect.succeed("seen") })
            ]
          })
        )
      )
  )

  it.scoped("approves and denies what was asked, and a second decision is rejected (A5)", () =>
    Effect.gen(function* () {
      const runtime = yield* Runtime
      const ada = yield* runtime.session({ id: "s", create, by: "ada" })
      const bob = yield* runtime.session({ id: "s", resume: true, by: "bob" })
      for (const decide of ["approve", "deny"] as const) {
        const task = yield* ada.submit("act")
        const { request } = yield* asked(task)
        yield* bob[decide](request, { reason: "so" })
        assert.strictEqual((yield* Effect.flip(ada[decide](request)))._tag, "RequestRejected")
        assert.strictEqual((yield* task.await)._tag, "TaskCompleted")
      }
      const seen = Chunk.toReadonlyArray(yield* Stream.runCollect(bob.events({ from: 1, follow: false })))
      const resolved = seen.flatMap(({ event }) => (event._tag === "ApprovalResolved" ? [event] : []))
      assert.deepStrictEqual(
        resolved.map(({ by, outcome }) => [by, outcome]),
        [
          ["user bob", "granted"],
          ["user bob", "denied"]
        ]
      )
    }).pipe(
      Effect.provide(Testing.layer({ model: [call("act"), "Done", call("act"), "Done"], tools: [act], policy: "ask" }))
    )
  )

  it.scoped(
    "is opened by its id, as the last of its project or rejected, and its streams end with the scope (R9)",
    () =>
      Effect.gen(function* () {
        const runtime = yield* Runtime
        assert.deepInclude(yield* Effect.flip(runtime.session({ id: "s", resume: true })), { error: "SessionNotFound" })
        const scope = yield* Scope.make()
        const first = yield* Scope.extend(runtime.session({ id: "s", create }), scope)
        const watching = yield* Effect.fork(Stream.runCollect(first.events({ from: 1 })))
        yield* first.prompt("hi")
        const last = yield* runtime.session({ resume: { lastOf: "test" } })
        assert.strictEqual(last.id, "s")
        yield* Scope.close(scope, Exit.void)
        yield* Fiber.join(watching)
        assert.strictEqual((yield* last.prompt("again")).text, "Two")
      }).pipe(Effect.provide(Testing.layer({ model: ["One", "Two"] })))
  )

  it.scoped("says of a task that waits in a closed session that its end is still to come, and it comes (R1, R9)", () =>
    Effect.gen(function* () {
      const runtime = yield* Runtime
      const session = yield* runtime.session({ id: "s", create })
      const task = yield* session.submit("act")
      const { request } = yield* asked(task)
      yield* runtime.request(new SuspendSession({ session: "s" }))
      const closed = yield* Effect.flip(task.await)
      assert.deepInclude(closed, { _tag: "SessionClosed", session: "s", task: task.id })
      assert.include(closed.message, "Open it again")
      const again = yield* runtime.session({ id: "s", resume: true })
      assert.strictEqual(again.goesOn, task.id)
      yield* again.approve(request)
      assert.deepInclude(yield* task.await, { _tag: "TaskCompleted", text: "Done" })
    }).pipe(Effect.provide(Testing.layer({ model: [call("act"), "Done"], tools: [act], policy: "ask" })))
  )

  it.scoped("says of a prompt that is interrupted with its session that the session was closed (R1)", () =>
    Effect.gen(function* () {
      const runtime = yield* Runtime
      const session = yield* runtime.session({ id: "s", create })
      const prompting = yield* Effect.fork(Effect.flip(session.prompt("act")))
      yield* Stream.runHead(
        Stream.filter(session.events({ from: 1 }), ({ event }) => event._tag === "ApprovalRequested")
      )
      yield* runtime.request(new EndSession({ session: "s" }))
      const error = yield* Fiber.join(prompting)
      assert.deepInclude(error, { _tag: "TaskUnfinished", outcome: "interrupted" })
      assert.include(error.message, "its session was closed")
    }).pipe(Effect.provide(Testing.layer({ model: [call("act")], tools: [act], policy: "ask" })))
  )
})
