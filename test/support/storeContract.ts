import { assert, it } from "@effect/vitest"
import { Effect, Exit, FastCheck as fc, type Layer, Option, Scope } from "effect"
import { ModelAnswered } from "../../src/agent/AgentEvent.ts"
import { messagesOf } from "../../src/conversation/Change.ts"
import { ToolCallCompleted, ToolCallRequested } from "../../src/gate/CallEvent.ts"
import { toolMessage } from "../../src/gate/conclude.ts"
import type { DatabaseError } from "../../src/database/DatabaseError.ts"
import { noUsage } from "../../src/model/ModelPart.ts"
import type { Envelope, Place } from "../../src/runtime/Envelope.ts"
import type { DurableEvent } from "../../src/runtime/Event.ts"
import {
  CommandRejected,
  ModelSwitched,
  SessionCleared,
  SessionEnded,
  TaskCompleted,
  TaskQueued,
  TaskStarted
} from "../../src/runtime/RuntimeEvent.ts"
import {
  type Lease,
  type SessionBusy,
  type SessionFenced,
  type SessionNotFound,
  SessionStore
} from "../../src/runtime/SessionStore.ts"
import type { ApprovalRequest } from "../../src/tool/ApprovalRequest.ts"
import { ApprovalRequested, ApprovalResolved, ToolCallStarted } from "../../src/tool/ToolEvent.ts"
import { failureOf } from "./failureOf.ts"

export const create = { project: "here", profile: "main", time: 1000 }

export const numbered = (
  lease: Lease,
  events: ReadonlyArray<readonly [DurableEvent, Place]>
): ReadonlyArray<Envelope> =>
  events.map(([event, place], index) => ({
    version: 1,
    seq: lease.head + index + 1,
    time: 2000 + index,
    session: lease.session,
    ...place,
    event
  }))

const user = { id: "m1", message: { role: "user", content: "hello" } } as const
const asked = {
  id: "m2",
  message: {
    role: "assistant",
    content: null,
    tool_calls: ["c1", "c2", "c3"].map((id) => ({
      id,
      type: "function" as const,
      function: { name: "act", arguments: "{}" }
    }))
  }
} as const

const inTask: Place = { task: "t" }
const inWorker: Place = { task: "t", iteration: 1, worker: ["root"] }
export const history: ReadonlyArray<readonly [DurableEvent, Place]> = [
  [new TaskQueued({ prompt: "hello", ahead: 0 }), inTask],
  [new TaskStarted({ message: user }), inTask],
  [new ModelAnswered({ message: asked, finish: "tool_calls", usage: noUsage, durationMillis: 1 }), inWorker],
  [new ToolCallRequested({ callId: "c1", tool: "act", arguments: "{}" }), inWorker],
  [new ToolCallStarted({ callId: "c1", tool: "act", readOnly: false }), inWorker],
  [new ToolCallStarted({ callId: "c2", tool: "act", readOnly: false }), inWorker],
  [new ToolCallCompleted({ callId: "c2", tool: "act", message: toolMessage("c2", "ok"), durationMillis: 1 }), inWorker]
]

export const request = (id: string): ApprovalRequest => ({
  id,
  callId: "c1",
  sessionId: "s",
  tool: "act",
  workerPath: ["root"],
  risk: "low",
  digest: "d",
  arguments: {},
  message: "Acts",
  scopes: ["once"],
  requestedAt: 2000,
  timeoutMillis: 1000
})

/** What every store keeps. */
export const contract = <E>(name: string, layer: Effect.Effect<Layer.Layer<SessionStore, E>, never, Scope.Scope>) => {
  const test = (
    title: string,
    body: Effect.Effect<void, DatabaseError | SessionNotFound | SessionBusy | SessionFenced, SessionStore | Scope.Scope>
  ) => it.scopedLive(`${name}: ${title}`, () => Effect.flatMap(layer, (store) => Effect.provide(body, store)))

  test(
    "gives back what was appended, from any number on (R3, R5)",
    Effect.gen(function* () {
      const store = yield* SessionStore
      const lease = yield* store.open({ session: "s", create })
      const events = numbered(lease, history)
      yield* store.append(lease, events)
      assert.deepStrictEqual(yield* store.read("s", 1, 100), events)
      assert.deepStrictEqual(yield* store.read("s", 3, 2), events.slice(2, 4))
      assert.deepStrictEqual(yield* store.read("s", 8, 10), [])
    })
  )

  test(
    "gives any characters back, U+0000 included, wherever a model, a tool or a person says them (R3, P1)",
    Effect.gen(function* () {
      const store = yield* SessionStore
      const hostile = fc.string({ unit: "binary" }).map((some) => some.replaceAll(/[a-e]/g, "\0"))
      const said = fc.oneof({ weight: 3, arbitrary: hostile }, fc.constantFrom("\0", "a\0b", "\0\0c", "\\u0000\0"))
      for (const [index, [text, one, other]] of fc.sample(fc.tuple(said, said, said), 30).entries()) {
        const session = `s${index}`
        const lease = yield* store.open({ session, create })
        const [first, second] = [`${one}1`, `${other}2`]
        const place = { task: "t", iteration: 1, worker: ["root", "W1"] }
        const call = (id: string) => ({ id, type: "function" as const, function: { name: text, arguments: text } })
        const answered = { role: "assistant", content: text, tool_calls: [call(first), call(second)] } as const
        const events = numbered(lease, [
          [new TaskQueued({ prompt: text, ahead: 0 }), inTask],
          [new TaskStarted({ message: { id: "m", message: { role: "user", content: text } } }), inTask],
          [
            new ModelAnswered({
              message: { id: "n", message: answered },
              finish: "tool_calls",
              usage: noUsage,
              durationMillis: 1
            }),
            place
          ],
          [new ToolCallRequested({ callId: first, tool: text, arguments: text }), place],
          [new ToolCallStarted({ callId: second, tool: text, readOnly: false }), place],
          [
            new ToolCallCompleted({ callId: first, tool: text, message: toolMessage(first, text), durationMillis: 1 }),
            place
          ]
        ])
        yield* store.append(lease, events)
        assert.deepStrictEqual(yield* store.read(session, 1, 100), events)
        assert.deepStrictEqual((yield* store.unfinished(session)).calls, [
          { ...place, callId: second, tool: text, mayHaveHappened: true, byUser: false }
        ])
        const [of] = yield* store.messages(session, 9)
        assert.strictEqual(of?.message.content, text)
        const results = messagesOf(yield* store.workerChanges(session, { limit: 9, task: "t", worker: place.worker }))
        assert.deepStrictEqual(
          results.map(({ message }) => message),
          [answered, toolMessage(first, text).message]
        )
      }
    })
  )

  test(
    "finds the answer to a command by its id, in its session alone (R1)",
    Effect.gen(function* () {
      const store = yield* SessionStore
      const lease = yield* store.open({ session: "s", create })
      const events = numbered(lease, [
        ...history,
        [new ModelSwitched({ commandId: "c", profile: "fast" }), {}],
        [new CommandRejected({ commandId: "d", command: "SwitchModel", reason: "no" }), {}]
      ])
      yield* store.append(lease, events)
      assert.deepStrictEqual(Option.getOrUndefined(yield* store.answer("s", "c")), events.at(-2))
      assert.deepStrictEqual(Option.getOrUndefined(yield* store.answer("s", "d")), events.at(-1))
      assert.isTrue(Option.isNone(yield* store.answer("s", "c1")))
      assert.isTrue(Option.isNone(yield* store.answer("elsewhere", "c")))
    })
  )

  test(
    "gives of a task what is asked for, and what its answers have used, without the rest (R9)",
    Effect.gen(function* () {
      const store = yield* SessionStore
      const lease = yield* store.open({ session: "s", create })
      const usage = { inputTokens: 5, outputTokens: 3, cachedInputTokens: 2, reasoningTokens: 1 }
      const answer = new ModelAnswered({ message: asked, finish: "tool_calls", usage, durationMillis: 1 })
      const other = { task: "u", iteration: 1, worker: ["root"] }
      const [second, third] = [
        { ...inWorker, iteration: 2 },
        { ...inWorker, iteration: 2, worker: ["root", "W1"] }
      ]
      const events = numbered(lease, [...history, [answer, other], [answer, second], [answer, third]])
      yield* store.append(lease, events)
      const tags = ["ModelAnswered", "TaskQueued"] as const
      const numbers = (...which: ReadonlyArray<number>) => events.filter(({ seq }) => which.includes(seq))
      const found = yield* store.ofTasks("s", { tasks: ["t"], tags })
      assert.deepStrictEqual(found, numbers(1, 3, 9, 10))
      assert.deepStrictEqual(yield* store.ofTasks("s", { tasks: ["t", "u"], tags, iterations: [1] }), numbers(3, 8))
      const below = { tasks: ["t"], tags, within: ["root", "W1"] }
      assert.deepStrictEqual(yield* store.ofTasks("s", below), numbers(10))
      assert.deepStrictEqual(yield* store.ofTasks("s", { tasks: [], tags }), [])
      const twice = { inputTokens: 10, outputTokens: 6, cachedInputTokens: 4, reasoningTokens: 2 }
      assert.deepStrictEqual(yield* store.used("s", "t", ["root"]), twice)
      assert.deepStrictEqual(yield* store.used("s", "t", ["root", "W1"]), usage)
      assert.deepStrictEqual(yield* store.used("s", "t", ["root", "W"]), noUsage)
      assert.deepStrictEqual(yield* store.used("s", "none", ["root"]), noUsage)
      const of = (worker: ReadonlyArray<string>) =>
        Effect.map(store.workerChanges("s", { task: "t", worker, limit: 10 }), messagesOf)
      assert.deepStrictEqual(yield* of(["root", "W1"]), [asked])
      assert.deepStrictEqual(yield* of(["root", "W"]), [])
    })
  )

  test(
    "lists the requests that wait, until they are answered or their task ends (A12)",
    Effect.gen(function* () {
      const store = yield* SessionStore
      const lease = yield* store.open({ session: "s", create })
      const requested = (id: string) => [new ApprovalRequested({ request: request(id), ahead: 0 }), inWorker] as const
      const answered = new ApprovalResolved({
        callId: "c1",
        tool: "act",
        approvalId: "a1",
        outcome: "denied",
        by: "user",
        waitedMillis: 1
      })
      const before = [...history, requested("a1"), requested("a2"), requested("a3"), [answered, inWorker] as const]
      yield* store.append(lease, numbered(lease, before))
      assert.deepStrictEqual(yield* store.waiting(10), [
        { project: "here", request: request("a2") },
        { project: "here", request: request("a3") }
      ])
      assert.deepStrictEqual(yield* store.waiting(1), [{ project: "here", request: request("a2") }])
      const over = new TaskCompleted({ text: "", usage: noUsage, iterations: 1, durationMillis: 1 })
      yield* store.append(lease, numbered({ ...lease, head: before.length }, [[over, inTask]]))
      assert.deepStrictEqual(yield* store.waiting(10), [])
    })
  )

  test(
    "gives a session to one owner at a time, until that one leaves it (R9)",
    Effect.gen(function* () {
      const store = yield* SessionStore
      const scope = yield* Scope.make()
      const lease = yield* Scope.extend(store.open({ session: "s", create }), scope)
      for (const options of [{ session: "s" }, { session: "s", create }]) {
        const busy = yield* failureOf(store.open(options))
        assert.deepInclude(busy, { _tag: "SessionBusy", session: "s", pid: process.pid })
      }
      yield* store.append(lease, numbered(lease, history))
      assert.strictEqual((yield* store.get("s")).head, history.length)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* store.open({ session: "s" })).epoch, 2)
    })
  )

  test(
    "fences an older owner that writes all the same, which is in vain (R9)",
    Effect.gen(function* () {
      const store = yield* SessionStore
      const older = yield* Effect.scoped(store.open({ session: "s", create }))
      const newer = yield* store.open({ session: "s" })
      assert.deepStrictEqual([older.epoch, newer.epoch], [1, 2])
      const error = yield* failureOf(store.append(older, numbered(older, history)))
      assert.strictEqual(error._tag, "SessionFenced")
      assert.deepStrictEqual(yield* store.read("s", 1, 10), [])
      yield* store.append(newer, numbered(newer, history))
      assert.strictEqual((yield* store.get("s")).head, history.length)
    })
  )

  test(
    "knows what a dead owner left open, and which call may have happened (R9)",
    Effect.gen(function* () {
      const store = yield* SessionStore
      const lease = yield* store.open({ session: "s", create })
      yield* store.append(lease, numbered(lease, history))
      const { calls, tasks } = yield* store.unfinished("s")
      assert.deepStrictEqual(tasks, ["t"])
      const place = { task: "t", iteration: 1, worker: ["root"], tool: "act" }
      assert.deepStrictEqual(
        calls.toSorted((a, b) => a.callId.localeCompare(b.callId)),
        [
          { ...place, callId: "c1", mayHaveHappened: true, byUser: false },
          { ...place, callId: "c3", mayHaveHappened: false, byUser: false }
        ]
      )
      assert.isTrue(yield* store.hasTask("s", "t"))
      assert.isFalse(yield* store.hasTask("s", "other"))
    })
  )

  test(
    "keeps the conversation in order, and what was cleared out of the model's sight (A3)",
    Effect.gen(function* () {
      const store = yield* SessionStore
      const lease = yield* Effect.scoped(store.open({ session: "s", create }))
      const again = { id: "m9", message: { role: "user", content: "again" } } as const
      const elsewhere: Place = { task: "t", iteration: 1, worker: ["root", "sub"] }
      yield* store.append(lease, numbered(lease, history))
      assert.deepStrictEqual(yield* store.messages("s", 10), [user, asked, toolMessage("c2", "ok")])
      assert.deepStrictEqual(yield* store.messages("s", 1), [toolMessage("c2", "ok")])
      const more = yield* store.open({ session: "s" })
      yield* store.append(
        more,
        numbered(more, [
          [new SessionCleared({}), {}],
          [new TaskStarted({ message: again }), { task: "u" }],
          [new ModelAnswered({ message: asked, finish: "stop", usage: noUsage, durationMillis: 1 }), elsewhere]
        ])
      )
      assert.deepStrictEqual(yield* store.messages("s", 10), [again])
    })
  )

  test(
    "summarises sessions that have events, the latest first",
    Effect.gen(function* () {
      const store = yield* SessionStore
      const first = yield* store.open({ session: "a", create })
      const second = yield* store.open({ session: "b", create: { ...create, project: "there" } })
      yield* store.open({ session: "bare", create: { ...create, project: "there" } })
      yield* store.append(second, numbered(second, [[new SessionCleared({}), {}]]))
      yield* store.append(
        first,
        numbered(first, [
          [new TaskQueued({ prompt: "the first prompt", ahead: 0 }), inTask],
          [new TaskCompleted({ text: "", usage: noUsage, iterations: 1, durationMillis: 0 }), inTask],
          [new ModelSwitched({ profile: "other" }), {}],
          [new SessionEnded({}), {}]
        ])
      )
      const all = yield* store.list({ limit: 10 })
      assert.deepStrictEqual(
        all.map(({ id, profile, status, title }) => [id, profile, status, title]),
        [
          ["a", "other", "ended", "the first prompt"],
          ["b", "main", "open", ""]
        ]
      )
      assert.deepStrictEqual(
        (yield* store.list({ project: "there", limit: 10 })).map(({ id }) => id),
        ["b"]
      )
      assert.deepStrictEqual(
        (yield* store.list({ beginning: "b", limit: 10 })).map(({ id }) => id),
        ["b"]
      )
      assert.deepStrictEqual((yield* store.unfinished("a")).tasks, [])
      assert.strictEqual((yield* failureOf(store.get("none")))._tag, "SessionNotFound")
      assert.strictEqual((yield* failureOf(store.open({ session: "none" })))._tag, "SessionNotFound")
    })
  )
}
