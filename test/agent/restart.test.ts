import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck, Layer, Schema, Stream } from "effect"
import { Approvals } from "../../src/approval/Approvals.ts"
import type { ModelService } from "../../src/model/Model.ts"
import { type ModelPart, noUsage } from "../../src/model/ModelPart.ts"
import { DecideApproval, Interrupt, SubmitPrompt } from "../../src/runtime/Command.ts"
import type { Envelope } from "../../src/runtime/Envelope.ts"
import { type Event, isTerminal } from "../../src/runtime/Event.ts"
import * as MemorySessionStore from "../../src/runtime/MemorySessionStore.ts"
import { SessionStore } from "../../src/runtime/SessionStore.ts"
import * as Testing from "../../src/testing.ts"
import { fileChanged } from "../../src/tool/ToolCall.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { Delegate } from "../../src/tools/Delegate.ts"
import { told } from "./Delegating.ts"

const call = (name: string, args: object = {}) => ({ name, arguments: JSON.stringify(args) })
const act = (file: string) => call("act", { file })

/** What each worker answers, by its task: the calls of one answer, or its last text. */
const script: Readonly<Record<string, ReadonlyArray<string | ReadonlyArray<ReturnType<typeof call>>>>> = {
  go: [[call("delegate", { task: "one" }), act("a")], "Done"],
  one: [[act("b"), call("look"), call("delegate", { task: "two" }), act("c")], [act("d")], "one is done"],
  two: [[call("look"), act("e")], [act("f"), act("g")], "two is done"]
}

/** Answers by what stands in the request alone, so that it goes on after a restart. */
const model: ModelService = {
  name: "m",
  stream: ({ messages }) => {
    const all = messages.map(({ message }) => message)
    const prompt = all.findLast(({ role }) => role === "user")?.content ?? ""
    const said = all.slice(all.findLastIndex(({ role }) => role === "user")).filter(({ role }) => role === "assistant")
    const answer = script[prompt]?.[said.length] ?? "nothing to say"
    const parts: ReadonlyArray<ModelPart> =
      typeof answer === "string"
        ? [{ _tag: "TextDelta", text: answer }]
        : answer.map((one, index) => ({ _tag: "FunctionCalled", id: `c${index}`, ...one }))
    return Stream.fromIterable([...parts, { _tag: "Finished", reason: "stop", usage: { ...noUsage, inputTokens: 1 } }])
  }
}

const common = { description: "d", success: Schema.String } as const

/** Tools that note what happens to the world; `delegate` may need approval as well. */
const toolsOver = (happened: Array<string>, asksToDelegate = false) => [
  { ...Delegate, approval: asksToDelegate ? ("always" as const) : ("never" as const) },
  Tool.make("look", {
    ...common,
    parameters: Schema.Struct({}),
    readOnly: true,
    handler: () => Effect.succeed("seen")
  }),
  Tool.make("act", {
    ...common,
    parameters: Schema.Struct({ file: Schema.String }),
    approval: "always",
    handler: ({ file }, of) =>
      Effect.zipRight(
        Effect.sync(() => happened.push(file)),
        Effect.as(fileChanged(of, { path: file, change: "modified", size: 1 }), "done")
      )
  })
]

const life = (happened: Array<string>, store: SessionStore["Type"], asksToDelegate = false) =>
  Testing.layer({
    tools: toolsOver(happened, asksToDelegate),
    model,
    policy: "ask",
    store: Layer.succeed(SessionStore, store),
    randomIds: true
  }).pipe(Layer.orDie)

const freshStore = Effect.flatMap(Effect.scope, (scope) =>
  Effect.map(Layer.buildWithScope(MemorySessionStore.layer, scope), (context) => context)
).pipe(Effect.flatMap((context) => Effect.provide(SessionStore, context)))

const endOf = (events: ReadonlyArray<Envelope>) => events.map(({ event }) => event).findLast(isTerminal)

/** The requests that nobody has answered. */
const openIn = (events: ReadonlyArray<Envelope>): ReadonlyArray<string> => {
  const open = new Map<string, string>()
  for (const { event } of events) {
    if (event._tag === "ApprovalRequested") open.set(event.request.id, event.request.digest)
    else if (event._tag === "ApprovalResolved") open.delete(event.approvalId)
  }
  return [...open].map(([id, digest]) => `${id} ${digest}`)
}

/** Approves what waits, one after the other, at most so many; gives whether the task has ended. */
const approve = (session: Testing.TestSession, limit = Infinity) =>
  Effect.gen(function* () {
    const approvals = yield* Approvals
    for (let answered = 0; ;) {
      if (endOf(yield* session.recorded) !== undefined) return true
      const [first] = (yield* approvals.state()).pending
      if (first === undefined) yield* Effect.yieldNow()
      else if (answered++ === limit) return false
      else {
        const { digest, id: approvalId } = first
        yield* session.send(new DecideApproval({ session: session.id, approvalId, digest, decision: "approve" }))
        while ((yield* approvals.state()).pending.some(({ id }) => id === approvalId)) yield* Effect.yieldNow()
      }
    }
  })

const submitted = (session: Testing.TestSession) =>
  session.send(new SubmitPrompt({ session: session.id, task: "t", prompt: "go" }))

const all = ["b", "e", "f", "g", "c", "d", "a"]

/** A whole run without a restart. */
const whole = (asksToDelegate: boolean) =>
  Effect.gen(function* () {
    const happened: Array<string> = []
    const store = yield* freshStore
    const recorded = yield* Effect.gen(function* () {
      const session = yield* Testing.session()
      yield* submitted(session)
      yield* approve(session)
      return yield* session.recorded
    }).pipe(Effect.provide(life(happened, store, asksToDelegate)))
    assert.deepStrictEqual(happened, all)
    return recorded
  })

/** What the log says may have happened. */
const startedIn = (events: ReadonlyArray<Envelope>): ReadonlyArray<string> => {
  const files = new Map<string, string>()
  return events.flatMap(({ event, iteration, worker }) => {
    const key = "callId" in event ? JSON.stringify([worker, iteration, event.callId]) : ""
    if (event._tag === "ToolCallRequested" && event.tool === "act") files.set(key, JSON.parse(event.arguments).file)
    return event._tag === "ToolCallStarted" && event.tool === "act" ? [files.get(key) ?? ""] : []
  })
}

describe("requests of sub-workers", () => {
  it.scoped("wait again wherever the runtime died, under their ids and digests, and run once (A12, R9, U3)", () =>
    Effect.gen(function* () {
      for (const asksToDelegate of [false, true]) {
        const recorded = yield* whole(asksToDelegate)
        for (let length = 3; length < recorded.length; length += asksToDelegate ? 3 : 1) {
          const before = recorded.slice(0, length)
          const store = yield* freshStore
          const create = { project: "test", profile: "scripted", time: 0 }
          yield* Effect.scoped(
            Effect.flatMap(store.open({ session: "session_1", create }), (lease) => store.append(lease, before))
          )
          const happened: Array<string> = []
          yield* Effect.gen(function* () {
            const session = yield* Testing.session()
            const waits = openIn(before)
            const again = (yield* session.recorded).flatMap(({ event }) =>
              event._tag === "SessionResumed" ? (event.goesOn?.approvals ?? []) : []
            )
            assert.deepStrictEqual(
              again.map(({ digest, id }) => `${id} ${digest}`),
              waits
            )
            yield* approve(session)
            const events = yield* session.recorded
            assert.deepStrictEqual(Testing.Timeline.violations(events), [], `after ${length} events`)
            assert.deepStrictEqual(events.slice(0, length), before)
            const started = startedIn(before)
            assert.deepStrictEqual(new Set(happened).size, happened.length)
            for (const file of happened) assert.notInclude(started, file, `after ${length} events`)
            const end = endOf(events)
            if (waits.length === 0) return assert.strictEqual(end?._tag, "TaskFailed", `after ${length} events`)
            assert.deepInclude(end, { _tag: "TaskCompleted", text: "Done" }, `after ${length} events`)
            assert.deepStrictEqual([...started, ...happened], all, `after ${length} events`)
            const texts = events.flatMap(({ event }) =>
              event._tag === "ToolCallCompleted" && event.tool === "delegate" ? [event.message.message.content] : []
            )
            assert.deepStrictEqual(texts, [
              '{"status":"done","text":"two is done"}',
              '{"status":"done","text":"one is done"}'
            ])
            assert.deepStrictEqual(end?._tag === "TaskCompleted" && end.usage.inputTokens, 8)
          }).pipe(Effect.provide(life(happened, store, asksToDelegate)))
        }
      }
    })
  )

  it.scoped.prop(
    "wait again after every shutdown, however often, and the work is done once and in order (A12, U3)",
    { answers: FastCheck.array(FastCheck.integer({ min: 0, max: 2 }), { maxLength: 8 }), asks: FastCheck.boolean() },
    ({ answers, asks }) =>
      Effect.gen(function* () {
        const store = yield* freshStore
        const happened: Array<string> = []
        let waits: ReadonlyArray<string> = []
        for (const [index, limit] of [...answers, Infinity].entries()) {
          const ended = yield* Effect.gen(function* () {
            const session = yield* Testing.session()
            if (index === 0) yield* submitted(session)
            assert.deepStrictEqual(openIn(yield* session.recorded), waits)
            const done = yield* approve(session, limit)
            waits = openIn(yield* session.recorded)
            return done
          }).pipe(Effect.provide(life(happened, store, asks)))
          const events = yield* store.read("session_1", 1, 10_000)
          assert.deepStrictEqual(Testing.Timeline.violations(events), [])
          if (ended) break
          assert.strictEqual(waits.length, 1)
        }
        assert.deepStrictEqual(happened, all)
        const events = yield* store.read("session_1", 1, 10_000)
        assert.deepInclude(endOf(events), { _tag: "TaskCompleted", text: "Done" })
        const tags = ["WorkerStarted", "WorkerCompleted", "WorkerInterrupted"] as const
        const workers = ["WorkerStarted W1", "WorkerStarted W1 W1", "WorkerCompleted W1 W1", "WorkerCompleted W1"]
        assert.deepStrictEqual(told(events, ...tags), workers)
      }),
    { fastCheck: { numRuns: 5 } }
  )
})

describe("a delegation that is interrupted", () => {
  /** The result of the root's call once the session is interrupted while the worker of the worker asks for `f`. */
  const interrupted = (restarts: boolean) =>
    Effect.gen(function* () {
      const store = yield* freshStore
      const first = Effect.gen(function* () {
        const session = yield* Testing.session()
        yield* submitted(session)
        yield* approve(session, 2)
        return session
      })
      const ended = (session: Testing.TestSession) =>
        Effect.gen(function* () {
          yield* session.send(new Interrupt({ session: session.id }))
          yield* session.awaitEnd("t")
        })
      if (restarts) {
        yield* Effect.provide(first, life([], store))
        yield* Effect.provide(Effect.flatMap(Testing.session(), ended), life([], store))
      } else yield* Effect.provide(Effect.flatMap(first, ended), life([], store))
      const events = yield* store.read("session_1", 1, 10_000)
      assert.deepStrictEqual(Testing.Timeline.violations(events), [])
      return events.flatMap(({ event, worker }): ReadonlyArray<Extract<Event, { _tag: "ToolCallInterrupted" }>> =>
        event._tag === "ToolCallInterrupted" && event.tool === "delegate" && worker?.length === 1 ? [event] : []
      )
    })

  it.scoped("tells what its workers did: the calls that ended and the files, also of before a restart (U4, U8)", () =>
    Effect.gen(function* () {
      for (const restarts of [false, true]) {
        const [end] = yield* interrupted(restarts)
        const { calls, changedFiles } = JSON.parse(end?.message.message.content ?? "{}")
        assert.deepStrictEqual(changedFiles, ["modified b", "modified e"])
        assert.deepStrictEqual(calls, [
          'act {"file":"b"}',
          "look {}",
          "look {}",
          'act {"file":"e"}',
          'act {"file":"f"} (interrupted)',
          'delegate {"task":"two"} (interrupted)'
        ])
      }
    })
  )
})
