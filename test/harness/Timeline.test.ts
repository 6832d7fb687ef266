import { assert, describe, it } from "@effect/vitest"
import { Chunk, Duration, Effect, FastCheck, Fiber, Layer, Schedule, Schema, Stream, TestClock } from "effect"
import { Approvals } from "../../src/approval/Approvals.ts"
import type { ModelService } from "../../src/model/Model.ts"
import { ModelRejected } from "../../src/model/ModelError.ts"
import { noUsage, type ModelPart } from "../../src/model/ModelPart.ts"
import {
  CancelTask,
  CompactSession,
  DecideApproval,
  EndSession,
  Interrupt,
  InvokeTool,
  ResumeSession,
  Shutdown,
  SubmitPrompt
} from "../../src/runtime/Command.ts"
import type { Envelope } from "../../src/runtime/Envelope.ts"
import { isTerminal, isTransient } from "../../src/runtime/Event.ts"
import * as MemorySessionStore from "../../src/runtime/MemorySessionStore.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import { SessionStore } from "../../src/runtime/SessionStore.ts"
import * as Testing from "../../src/testing.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { fileChanged } from "../../src/tool/ToolCall.ts"
import { Delegate } from "../../src/tools/Delegate.ts"
import { steps, type Step } from "../support/arbitrary.ts"
import { isEquivalent, mutantsOf } from "../support/mutants.ts"

class Busy extends Schema.TaggedError<Busy>()("Busy", {}) {}

const common = { description: "d", parameters: Schema.Struct({ task: Schema.String }), success: Schema.String }
const changed = { path: "/a", change: "modified", size: 1 } as const
let attempts = 0
const tools = [
  Delegate,
  Tool.make("look", { ...common, readOnly: true, handler: () => Effect.succeed("seen") }),
  Tool.make("watch", { ...common, readOnly: true, handler: () => Effect.as(Effect.sleep("10 millis"), "seen") }),
  Tool.make("flaky", {
    ...common,
    readOnly: true,
    failure: Busy,
    retry: { schedule: Schedule.recurs(2), retryable: () => true, description: "2 more" },
    handler: () => (attempts++ % 3 === 2 ? Effect.succeed("seen") : new Busy())
  }),
  Tool.make("ask", {
    ...common,
    approval: "always",
    handler: (_, call) => Effect.as(fileChanged(call, changed), "asked")
  }),
  Tool.make("fail", { ...common, failure: Busy, handler: () => new Busy() }),
  Tool.make("die", { ...common, handler: () => Effect.die(new Error("bug")) }),
  Tool.make("slow", { ...common, timeout: "20 millis", handler: () => Effect.as(Effect.sleep("1 second"), "slow") }),
  Tool.make("deaf", {
    ...common,
    timeout: "20 millis",
    handler: () => Effect.as(Effect.uninterruptible(Effect.sleep("25 millis")), "deaf")
  })
] as const
const reads = new Set(tools.filter((tool) => tool.readOnly).map(({ name }) => name))
const names = ["delegate", "delegate", "look", "watch", "flaky", "ask", "ask", "fail", "die", "slow", "deaf"] as const

type Answer = ReadonlyArray<(typeof names)[number]> | "fail" | "again" | "done"
const answers: FastCheck.Arbitrary<ReadonlyArray<Answer>> = FastCheck.array(
  FastCheck.oneof(
    { weight: 6, arbitrary: FastCheck.array(FastCheck.constantFrom(...names), { minLength: 1, maxLength: 4 }) },
    { weight: 3, arbitrary: FastCheck.constant("done" as const) },
    { weight: 1, arbitrary: FastCheck.constantFrom("fail" as const, "again" as const) }
  ),
  { minLength: 1, maxLength: 8 }
)

/** Answers by turns, whichever worker asks. */
const playing = (script: ReadonlyArray<Answer>): ModelService => {
  let next = 0
  return {
    name: "random",
    stream: () =>
      Stream.suspend((): Stream.Stream<ModelPart, ModelRejected> => {
        const answer = script[next++ % script.length] ?? "done"
        if (answer === "fail") return Stream.fail(new ModelRejected({ model: "random", reason: "no" }))
        const failed: ReadonlyArray<ModelPart> = [1, 2].map((attempt) => ({
          _tag: "AttemptFailed",
          attempt,
          reason: "busy",
          delayMillis: 1
        }))
        const calls: ReadonlyArray<ModelPart> =
          typeof answer === "string"
            ? []
            : answer.map((name, index) => ({
                _tag: "FunctionCalled",
                id: `c${index}`,
                name,
                arguments: '{"task":"t"}'
              }))
        return Stream.fromIterable<ModelPart>([
          ...(answer === "again" ? failed : []),
          { _tag: "TextDelta", text: "x" },
          ...calls,
          { _tag: "Finished", reason: "stop", usage: noUsage }
        ])
      })
  }
}

const act = ({ id: session, send }: Testing.TestSession, step: Step) => {
  switch (step._tag) {
    case "submit":
      return step.task === 4
        ? send(new CompactSession({ session, task: "t4" }))
        : step.task === 5
          ? send(new InvokeTool({ session, task: "t5", tool: "look", parameters: { task: "t" } }))
          : send(new SubmitPrompt({ session, task: `t${step.task}`, prompt: "go" }))
    case "cancel":
      return send(new CancelTask({ session, task: `t${step.task}` }))
    case "interrupt":
      return send(new Interrupt({ session }))
    case "pass":
      return TestClock.adjust(Duration.millis(step.millis))
    case "decide":
      return Effect.gen(function* () {
        const [first] = (yield* (yield* Approvals).state()).pending
        if (first === undefined) return
        const decision = step.approve ? "approve" : "deny"
        yield* send(new DecideApproval({ session, approvalId: first.id, digest: first.digest, decision }))
      })
  }
}

const runtime = (model: ReadonlyArray<Answer>) =>
  Testing.layer({
    tools,
    model: playing(model),
    policy: "ask",
    randomIds: true,
    store: MemorySessionStore.layer,
    settings: { interruptGrace: Duration.seconds(1), maxIterations: 4, maxDepth: 2, maxWorkers: 6 }
  }).pipe(Layer.orDie)

/** Ends the session, however long what is in flight takes. */
const ended = (session: Testing.TestSession) =>
  Effect.gen(function* () {
    yield* session.send(new EndSession({ session: session.id }))
    const passing = yield* Effect.fork(Effect.forever(Effect.zipRight(TestClock.adjust("1 second"), Effect.yieldNow())))
    yield* session.awaitEvent((event) => event._tag === "SessionEnded")
    yield* Fiber.interrupt(passing)
  })

/** What one runtime records, which is closed, opened again, and ended. */
const recordedBy = (script: ReadonlyArray<Step>, model: ReadonlyArray<Answer>) =>
  Effect.gen(function* () {
    const session = yield* Testing.session()
    yield* session.send(new SubmitPrompt({ session: session.id, task: "first", prompt: "go" }))
    for (const step of script) yield* act(session, step)
    yield* ended(session)
    return yield* session.recorded
  }).pipe(Effect.provide(runtime(model)))

/** What one runtime records that is shut down. */
const shutDown = (script: ReadonlyArray<Step>, model: ReadonlyArray<Answer>) =>
  Effect.gen(function* () {
    const { subscribe } = yield* Runtime
    const session = yield* Testing.session()
    const events = Stream.runCollect(subscribe(session.id, { from: 1, transient: false }))
    const watching = yield* Effect.fork(events)
    yield* session.send(new SubmitPrompt({ session: session.id, task: "first", prompt: "go" }))
    for (const step of script) yield* act(session, step)
    yield* session.send(new Shutdown({}))
    const passing = yield* Effect.fork(Effect.forever(Effect.zipRight(TestClock.adjust("1 second"), Effect.yieldNow())))
    const seen = Chunk.toReadonlyArray(yield* Fiber.join(watching))
    yield* Fiber.interrupt(passing)
    return seen
  }).pipe(Effect.provide(runtime(model)))

const waitsFor = (events: ReadonlyArray<Envelope>): string | undefined => {
  const last = events.at(-1)?.event
  return last?._tag === "SessionSuspended" ? last.waits?.task : undefined
}

let suspended = 0

/** What the next owner makes of a log that ends in its middle. */
const afterDeath = (events: ReadonlyArray<Envelope>, model: ReadonlyArray<Answer>) =>
  Effect.gen(function* () {
    const store = yield* SessionStore
    const create = { project: "test", profile: "scripted", time: 0 }
    yield* Effect.scoped(
      Effect.flatMap(store.open({ session: "session_1", create }), (lease) => store.append(lease, events))
    )
    const session = yield* Testing.session()
    yield* session.send(new ResumeSession({ session: session.id }))
    yield* session.send(new SubmitPrompt({ session: session.id, task: "after", prompt: "go" }))
    yield* TestClock.adjust("5 millis")
    yield* ended(session)
    return yield* session.recorded
  }).pipe(Effect.provide(runtime(model)))

const describeMutant = (events: ReadonlyArray<Envelope>, at: number, kind: string) =>
  `${kind} ${at}:\n${Testing.Timeline.render(events.slice(Math.max(0, at - 4), at + 6)).replaceAll(/ \{.*/g, "")}`

const unseen = (events: ReadonlyArray<Envelope>): ReadonlyArray<string> =>
  mutantsOf(events)
    .filter(({ timeline }) => Testing.Timeline.violations(timeline).length === 0)
    .filter((mutant) => !isEquivalent(events, mutant, reads))
    .map(({ at, kind }) => describeMutant(events, at, kind))

describe("the oracle of the invariants", () => {
  it.effect.prop(
    "finds every deletion, duplication and swap in a recorded run that does not tell of another sound run (R4)",
    [steps, answers],
    ([script, model]) =>
      Effect.gen(function* () {
        const events = yield* recordedBy(script, model)
        assert.deepStrictEqual(Testing.Timeline.violations(events), [])
        assert.isFalse(events.some(({ event }) => isTransient(event)))
        const [first] = unseen(events)
        assert.isUndefined(first, first)
      }),
    { fastCheck: { numRuns: 30 } }
  )

  it.effect.prop(
    "finds them where a task waits while its session is closed: it goes on with the next owner, to one end (R4, A12)",
    [steps, answers],
    ([script, model]) =>
      Effect.gen(function* () {
        const closed = yield* shutDown(script, model)
        assert.deepStrictEqual(Testing.Timeline.violations(closed), [])
        const task = waitsFor(closed)
        if (task !== undefined) suspended++
        const ends = (events: ReadonlyArray<Envelope>) =>
          events.filter((envelope) => envelope.task === task && isTerminal(envelope.event)).length
        if (task !== undefined) assert.strictEqual(ends(closed), 0)
        const events = yield* afterDeath(closed, model)
        assert.deepStrictEqual(Testing.Timeline.violations(events), [])
        const resumed = events[closed.length]?.event
        assert.strictEqual(resumed?._tag === "SessionResumed" ? resumed.goesOn?.task : "not resumed", task)
        if (task !== undefined) assert.strictEqual(ends(events), 1)
        const [first] = unseen(events)
        assert.isUndefined(first, first)
      }),
    // Always the same runs, so that some of them wait.
    { fastCheck: { numRuns: 20, seed: 11 } }
  )

  it("has seen tasks that wait at all", () => assert.isAbove(suspended, 2))

  it.effect.prop(
    "finds them in what the next owner makes of a log that ends in its middle (R4, R9)",
    [steps, answers, FastCheck.double({ min: 0, max: 1, noNaN: true })],
    ([script, model, part]) =>
      Effect.gen(function* () {
        const whole = yield* recordedBy(script, model)
        const events = yield* afterDeath(whole.slice(0, Math.max(2, Math.floor(part * (whole.length - 1)))), model)
        assert.deepStrictEqual(Testing.Timeline.violations(events), [])
        const [first] = unseen(events)
        assert.isUndefined(first, first)
      }),
    { fastCheck: { numRuns: 20 } }
  )
})
