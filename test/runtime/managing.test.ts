import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema, Stream } from "effect"
import { Database } from "../../src/database/Database.ts"
import { exported } from "../../src/export/Export.ts"
import {
  ClearSession,
  DecideApproval,
  DeleteSession,
  ForkSession,
  PreviewRewind,
  RenameSession,
  RewindSession,
  SubmitPrompt
} from "../../src/runtime/Command.ts"
import * as MemorySessionStore from "../../src/runtime/MemorySessionStore.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import { SessionStore } from "../../src/runtime/SessionStore.ts"
import * as SqlSessionStore from "../../src/runtime/SqlSessionStore.ts"
import { Embeddings } from "../../src/search/Embeddings.ts"
import * as Indexer from "../../src/search/Indexer.ts"
import { Search } from "../../src/search/Search.ts"
import * as SqlSearch from "../../src/search/SqlSearch.ts"
import * as Testing from "../../src/testing.ts"
import * as Tool from "../../src/tool/Tool.ts"
import type { ApprovalRequested } from "../../src/tool/ToolEvent.ts"
import { failureOf } from "../support/failureOf.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

const Act = Tool.make("act", {
  description: "acts",
  parameters: Schema.Struct({}),
  success: Schema.String,
  approval: "always",
  handler: () => Effect.succeed("acted")
})

const Shell = Tool.make("run_shell", {
  description: "runs",
  parameters: Schema.Struct({ command: Schema.NonEmptyString }),
  success: Schema.String,
  approval: "always",
  handler: () => Effect.succeed("ran")
})

const session = "session_1"

const stores: Readonly<Record<string, Layer.Layer<SessionStore>>> = {
  "in memory": MemorySessionStore.layer,
  "in a database": Layer.unwrapScoped(
    Effect.map(temporaryDirectory, (directory) =>
      Layer.orDie(Layer.provide(SqlSessionStore.layer, Database.layer(`${directory}/db`)))
    )
  )
}

const roles = (messages: Effect.Effect.Success<ReturnType<SessionStore["Type"]["messages"]>>) =>
  messages.map(({ message }) => `${message.role}: ${message.content}`)

for (const [where, store] of Object.entries(stores)) {
  const world = (model: ReadonlyArray<unknown>, more: object = {}) =>
    Testing.layer({ model: model as never, tools: [Act, Shell], store, randomIds: true, ...more })

  describe(`sessions ${where}`, () => {
    it.scopedLive("are named without being opened, and no prompt changes the name (K6)", () =>
      Effect.gen(function* () {
        const runtime = yield* Runtime
        const sessions = yield* SessionStore
        const own = yield* Testing.session()
        yield* own.run("hello")
        assert.strictEqual((yield* sessions.get(session)).title, "hello")
        yield* runtime.request(new RenameSession({ session, title: "  my\n title " }))
        assert.strictEqual((yield* sessions.get(session)).title, "my title")
        yield* Testing.restart()
        const { head, updatedAt } = yield* sessions.get(session)
        const { event, seq } = yield* runtime.request(new RenameSession({ session, title: "another" }))
        assert.deepStrictEqual([event._tag, seq], ["SessionRenamed", head + 1])
        assert.strictEqual((yield* sessions.get(session)).head, head + 1)
        assert.strictEqual((yield* sessions.get(session)).updatedAt, updatedAt)
        const later = yield* Testing.session()
        yield* later.run("again")
        assert.strictEqual((yield* sessions.get(session)).title, "another")
        const none = yield* failureOf(runtime.request(new RenameSession({ session: "session_x", title: "x" })))
        assert.include(none.message, "does not exist")
      }).pipe(Effect.provide(world(["one", "two"])))
    )

    it.scopedLive("are copied up to any event, with nothing open, waiting or granted, and stay as they are (K6)", () =>
      Effect.gen(function* () {
        const runtime = yield* Runtime
        const sessions = yield* SessionStore
        const own = yield* Testing.session()
        yield* own.run("first")
        yield* runtime.send(new SubmitPrompt({ session, task: "t2", prompt: "act now" }))
        yield* own.awaitTag("ApprovalRequested")
        const before = yield* own.recorded
        for (let last = 1; last <= before.length; last++) {
          const fork = `fork_${last}`
          const { event } = yield* runtime.request(new ForkSession({ session, fork, last }))
          assert.deepInclude(event, { _tag: "SessionForked", origin: session, last })
          const copy = yield* sessions.read(fork, 1, 1000)
          assert.deepStrictEqual(
            copy.slice(0, last).map(({ event, seq }) => [seq, event._tag]),
            before.slice(0, last).map(({ event, seq }) => [seq, event._tag])
          )
          assert.deepStrictEqual(Testing.Timeline.violations(copy), [], `a fork at ${last}`)
          const { calls, requests, tasks } = yield* sessions.unfinished(fork)
          assert.deepStrictEqual([calls, requests, tasks], [[], [], []], `a fork at ${last}`)
        }
        assert.deepStrictEqual(yield* own.recorded, before)
        const whole = yield* runtime.session({ id: `fork_${before.length}`, resume: true })
        assert.strictEqual((yield* whole.prompt("go on")).text, "later")
        const waiting = yield* sessions.waiting(10)
        assert.deepStrictEqual(
          waiting.map(({ request }) => request.sessionId),
          [session]
        )
        assert.match((yield* sessions.get("fork_3")).title, / \(fork(?: \d+)?\)$/)
        for (const [command, reason] of [
          [new ForkSession({ session, fork: "fork_3", last: 2 }), "exists already"],
          [new ForkSession({ session, fork: "fork_x", last: before.length + 9 }), "is none"],
          [new ForkSession({ session: "session_x", fork: "fork_y" }), "does not exist"]
        ] as const) {
          assert.include((yield* failureOf(runtime.request(command))).message, reason)
        }
        yield* own.approve()
        yield* own.awaitEnd("t2")
      }).pipe(
        Effect.provide(world(["one", [{ call: { name: "act", arguments: {} } }], "later", "done"], { policy: "ask" }))
      )
    )

    it.scopedLive("go back to before an event: the model sees what it saw then, after a restart as well (K6)", () =>
      Effect.gen(function* () {
        const runtime = yield* Runtime
        const sessions = yield* SessionStore
        const own = yield* Testing.session()
        yield* own.run("first")
        const seen = roles(yield* sessions.messages(session, 100))
        const to = (yield* own.run("second"))[0]!.seq
        yield* own.run("third")
        const { event: preview } = yield* runtime.request(new PreviewRewind({ session, to }))
        assert.deepInclude(preview, { of: session, to, files: [], left: [], messages: 4 })
        const { event, seq } = yield* runtime.request(new RewindSession({ session, to, digest: preview.digest }))
        assert.deepInclude(event, { _tag: "SessionRewound", to, restored: [], left: [] })
        assert.deepStrictEqual(roles(yield* sessions.messages(session, 100)), seen)
        for (const inside of [to, seq - 1]) {
          const refused = yield* failureOf(runtime.request(new RewindSession({ session, to: inside })))
          assert.include(refused.message, "no longer counts")
        }
        yield* Testing.restart()
        const later = yield* Testing.session()
        yield* later.run("fourth")
        assert.deepStrictEqual(roles(yield* sessions.messages(session, 100)), [
          ...seen,
          "user: fourth",
          "assistant: four"
        ])
        yield* runtime.request(new ClearSession({ session }))
        yield* later.run("fifth")
        const back = (yield* later.recorded).findLast(({ event }) => event._tag === "SessionCleared")!.seq
        yield* runtime.request(new RewindSession({ session, to: back }))
        assert.deepStrictEqual(roles(yield* sessions.messages(session, 100)), [
          ...seen,
          "user: fourth",
          "assistant: four"
        ])
        assert.deepStrictEqual(Testing.Timeline.violations(yield* later.recorded), [])
      }).pipe(Effect.provide(world(["one", "two", "three", "four", "five"])))
    )

    it.scopedLive("name the commands that ran since, as they ran, and none that was denied or refused (K6)", () =>
      Effect.gen(function* () {
        const runtime = yield* Runtime
        const own = yield* Testing.session()
        const { id, seq } = yield* Effect.map(own.submit("go"), ({ id }) => ({ id, seq: own.seq + 1 }))
        yield* own.approve()
        yield* own.deny()
        const approve = (text: string, edited: { readonly parameters?: unknown } = {}) =>
          Effect.gen(function* () {
            const { request } = yield* own.awaitEvent(
              (event): event is ApprovalRequested =>
                event._tag === "ApprovalRequested" && JSON.stringify(event.request.arguments).includes(text)
            )
            const { digest, id: approvalId } = request
            yield* runtime.request(
              new DecideApproval({ session, approvalId, digest, decision: "approve", scope: "once", ...edited })
            )
          })
        yield* approve("three", { parameters: { command: "echo 3" } })
        yield* approve("echo 3")
        yield* own.awaitEnd(id)
        const { event } = yield* runtime.request(new PreviewRewind({ session, to: seq }))
        assert.deepStrictEqual(event.commands, ["echo one", "echo 3"])
      }).pipe(
        Effect.provide(
          world(
            [
              ...["echo one", "echo two", "echo three", ""].map((command) => [
                { call: { name: "run_shell", arguments: { command } } }
              ]),
              "done"
            ],
            { policy: "ask" }
          )
        )
      )
    )

    it.scopedLive("are deleted with all that was derived from them, but not while a request of them waits (K6)", () =>
      Effect.gen(function* () {
        const runtime = yield* Runtime
        const sessions = yield* SessionStore
        const own = yield* Testing.session()
        yield* own.run("first")
        yield* runtime.send(new SubmitPrompt({ session, task: "t2", prompt: "act now" }))
        yield* own.awaitTag("ApprovalRequested")
        const waits = yield* failureOf(runtime.request(new DeleteSession({ session })))
        assert.include(waits.message, "waits for an answer")
        const rewind = yield* failureOf(runtime.request(new RewindSession({ session, to: 2 })))
        assert.include(rewind.message, "A task is in flight")
        yield* own.approve()
        yield* own.awaitEnd("t2")
        const { event } = yield* runtime.request(new DeleteSession({ session }))
        assert.deepInclude(event, { _tag: "SessionDeleted", deleted: session })
        assert.strictEqual((yield* failureOf(sessions.get(session)))._tag, "SessionNotFound")
        assert.deepStrictEqual(yield* sessions.read(session, 1, 10), [])
        const fresh = yield* Testing.session()
        yield* fresh.run("again")
        assert.strictEqual((yield* sessions.get(session)).title, "again")
      }).pipe(
        Effect.provide(world(["one", [{ call: { name: "act", arguments: {} } }], "done", "again"], { policy: "ask" }))
      )
    )
  })
}

describe("what was copied, taken back or deleted", () => {
  it.scopedLive("is found where it was said, is marked, and is gone from every index (K1, K2, K6)", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const database = Layer.orDie(Database.layer(`${directory}/db`))
      const search = SqlSearch.layer.pipe(Layer.provide(Layer.succeed(Embeddings, undefined)))
      yield* Effect.gen(function* () {
        const runtime = yield* Runtime
        const { read } = yield* Database
        const { find } = yield* Search
        const found = (query: string, of: object = {}) =>
          Effect.map(find({ query, ...of }), ({ hits }) =>
            hits.map((hit) => [hit.session, hit.rewound === true] as const)
          )
        const own = yield* Testing.session()
        yield* own.run("the red lighthouse")
        const to = (yield* own.run("the blue submarine"))[0]!.seq
        const { event } = yield* runtime.request(new ForkSession({ session, fork: "fork" }))
        yield* (yield* runtime.session({ id: "fork", resume: true })).prompt("a green balloon")
        yield* runtime.request(new RewindSession({ session, to }))
        assert.deepStrictEqual(yield* found("lighthouse"), [[session, false]])
        assert.deepStrictEqual(yield* found("lighthouse", { session: "fork" }), [[session, false]])
        assert.deepStrictEqual(yield* found("submarine"), [[session, true]])
        assert.deepStrictEqual(yield* found("balloon", { session }), [])
        const text = (format: "json" | "markdown") =>
          Effect.map(Effect.flatMap(exported(session, format), Stream.runCollect), (pieces) => [...pieces].join(""))
        assert.notInclude(yield* text("markdown"), "submarine")
        const document = yield* text("json")
        assert.include(document, "submarine")
        assert.strictEqual(document.split('"rewound":true').length - 1, 2)
        yield* runtime.request(new DeleteSession({ session }))
        const [left] = yield* read`SELECT (SELECT count(*) FROM events WHERE session_id = ${session}) AS events,
          (SELECT count(*) FROM messages WHERE session_id = ${session}) AS messages,
          (SELECT until FROM unindexed WHERE session_id = 'fork') AS unindexed`
        assert.deepStrictEqual({ ...left }, { events: 0, messages: 0, unindexed: event.last })
        const indexer = yield* Indexer.make("test")
        yield* Effect.repeat(indexer.step, { while: (more) => more })
        assert.deepStrictEqual(yield* found("lighthouse"), [["fork", false]])
      }).pipe(
        Effect.provide(
          Layer.mergeAll(
            Testing.layer({
              model: ["one", "two", "three"],
              store: Layer.provide(SqlSessionStore.layer, database),
              randomIds: true
            }),
            search
          ).pipe(Layer.provideMerge(database), Layer.provideMerge(Layer.succeed(Embeddings, undefined)))
        )
      )
      // What was deleted is not missed by whoever opens the file next.
      yield* Effect.scoped(Layer.build(Database.layer(`${directory}/db`)))
    })
  )
})
