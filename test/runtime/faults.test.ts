import { assert, describe, it } from "@effect/vitest"
import { Chunk, Context, Duration, Effect, Layer, Schema, Stream, TestClock } from "effect"
import * as path from "node:path"
import { Database } from "../../src/database/Database.ts"
import { CreateSession, Interrupt, SubmitPrompt } from "../../src/runtime/Command.ts"
import type { Envelope } from "../../src/runtime/Envelope.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import { SessionStore } from "../../src/runtime/SessionStore.ts"
import * as SqlSessionStore from "../../src/runtime/SqlSessionStore.ts"
import * as Testing from "../../src/testing.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { mortal } from "../support/mortal.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

const Deaf = Tool.make("deaf", {
  description: "Never ends, whoever interrupts it",
  parameters: Schema.Struct({}),
  success: Schema.Void,
  timeout: 0,
  handler: () => Effect.uninterruptible(Effect.never)
})

const Ok = Tool.make("ok", {
  description: "Does nothing",
  parameters: Schema.Struct({}),
  success: Schema.Void,
  handler: () => Effect.void
})

const deaf = (settings: Parameters<typeof Testing.layer>[0]["settings"] = {}) =>
  Testing.layer({ tools: [Deaf], model: [[{ call: { name: "deaf" } }], "Done"], settings })

const stored = Effect.map(temporaryDirectory, (folder) =>
  SqlSessionStore.layer.pipe(Layer.provide(Database.layer(path.join(folder, "a.db"))), Layer.orDie)
)

/** A command that no type allows: it dies of its prompt. */
const buggy = (session: string) =>
  Object.defineProperty(new SubmitPrompt({ session, task: "first", prompt: "" }), "prompt", {
    get: () => {
      throw new Error("bug")
    }
  })

/** What comes by the stream of all events until one that matches. */
const until = (matches: (envelope: Envelope) => boolean) =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const events = yield* runtime.events
    return { seen: Effect.map(Stream.runCollect(Stream.takeUntil(events, matches)), Chunk.toReadonlyArray) }
  })

describe("a tool that ignores its interruption", () => {
  it.effect("does not keep the tasks behind its own from running (R4, T5)", () =>
    Effect.gen(function* () {
      const session = yield* Testing.session()
      yield* session.send(new SubmitPrompt({ session: session.id, task: "stuck", prompt: "go" }))
      yield* session.awaitEvent((event) => event._tag === "ToolCallStarted")
      yield* session.send(new SubmitPrompt({ session: session.id, task: "next", prompt: "go on" }))
      yield* session.send(new Interrupt({ session: session.id }))
      yield* session.send(new SubmitPrompt({ session: session.id, task: "after", prompt: "go on" }))
      yield* Effect.fork(TestClock.adjust("10 seconds"))
      assert.strictEqual((yield* session.awaitEnd("stuck"))._tag, "TaskInterrupted")
      assert.strictEqual((yield* session.awaitEnd("after"))._tag, "TaskCompleted")
      assert.deepStrictEqual(Testing.Timeline.violations(yield* session.recorded), [])
    }).pipe(Effect.provide(deaf()))
  )

  it.effect("does not outlast the time of its task (R4, T5)", () =>
    Effect.gen(function* () {
      const session = yield* Testing.session()
      yield* session.send(new SubmitPrompt({ session: session.id, task: "stuck", prompt: "go" }))
      yield* session.awaitEvent((event) => event._tag === "ToolCallStarted")
      yield* TestClock.adjust("1 minute")
      yield* TestClock.adjust("5 seconds")
      assert.deepInclude(yield* session.awaitEnd("stuck"), { _tag: "TaskFailed", kind: "timeout" })
      assert.deepStrictEqual(Testing.Timeline.violations(yield* session.recorded), [])
    }).pipe(Effect.provide(deaf({ taskTimeout: Duration.minutes(1) })))
  )
})

describe("calls under one id", () => {
  it.effect("are told apart, also from an id that looks made up (R4)", () =>
    Effect.gen(function* () {
      const session = yield* Testing.session()
      yield* session.run("go")
      const recorded = yield* session.recorded
      assert.deepStrictEqual(Testing.Timeline.violations(recorded), [])
      assert.strictEqual(recorded.filter(({ event: { _tag } }) => _tag === "ToolCallCompleted").length, 3)
    }).pipe(
      Effect.provide(
        Testing.layer({
          tools: [Ok],
          model: [["ok-2", "ok", "ok"].map((id) => ({ call: { name: "ok", id } })), "Done"]
        })
      )
    )
  )
})

describe("a session", () => {
  it.scopedLive("is opened once by prompts that come at the same time (R8, R9)", () =>
    Effect.gen(function* () {
      const store = yield* stored
      const create = { project: "test", profile: "scripted", time: 0 }
      const texts = Effect.gen(function* () {
        yield* Effect.scoped((yield* SessionStore).open({ session: "s", create }))
        const runtime = yield* Runtime
        const prompt = (text: string) =>
          Effect.scoped(Effect.flatMap(runtime.session({ id: "s", resume: true }), (session) => session.prompt(text)))
        const [one, two] = yield* Effect.all([prompt("one"), prompt("two")], { concurrency: 2 })
        return [one.text, two.text]
      })
      assert.sameMembers(yield* Effect.provide(texts, Testing.layer({ model: ["A", "B"], store })), ["A", "B"])
    })
  )

  it.scopedLive("that cannot be stored any more says so and ends; the others go on (R5, R9)", () =>
    Effect.gen(function* () {
      const store = Layer.map(yield* stored, (context) => {
        const whole = Context.get(context, SessionStore)
        const append: typeof whole.append = (lease, batch) =>
          batch.some(({ event, session }) => session === "broken" && event._tag === "TaskQueued")
            ? Effect.dieMessage("it does not take this")
            : whole.append(lease, batch)
        return Context.add(context, SessionStore, { ...whole, append })
      })
      const told = Effect.gen(function* () {
        const all = yield* until(({ event, session }) => session === "other" && event._tag === "SessionCreated")
        const broken = yield* Testing.session("broken")
        const ended = yield* Effect.exit(broken.run("go"))
        assert.strictEqual(ended._tag, "Failure")
        yield* (yield* Runtime).send(new CreateSession({ session: "other", project: "test" }))
        return (yield* all.seen).flatMap(({ event }) => (event._tag === "ErrorRaised" ? [event.message] : []))
      })
      const messages = yield* Effect.provide(told, Testing.layer({ model: ["A"], store }))
      assert.strictEqual(messages.length, 1)
      assert.include(messages[0], "was not stored")
    })
  )

  it.scopedLive("that another process takes over ends here with a message; the others go on (R9)", () =>
    Effect.gen(function* () {
      const { born, lose } = yield* mortal(Context.get(yield* Layer.build(yield* stored), SessionStore))
      const store = yield* born
      const told = Effect.gen(function* () {
        const all = yield* until(({ event, session }) => session === "other" && event._tag === "SessionCreated")
        const taken = yield* Testing.session("taken")
        yield* lose
        yield* (yield* born).open({ session: "taken" })
        const ended = yield* Effect.exit(taken.run("go"))
        assert.strictEqual(ended._tag, "Failure")
        yield* (yield* Runtime).send(new CreateSession({ session: "other", project: "test" }))
        return (yield* all.seen).flatMap(({ event }) => (event._tag === "ErrorRaised" ? [event.message] : []))
      })
      const layer = Testing.layer({ model: ["A"], store: Layer.succeed(SessionStore, store) })
      const messages = yield* Effect.provide(told, layer)
      assert.strictEqual(messages.length, 1)
      assert.include(messages[0], "taken over by another process")
    })
  )

  it.effect("outlives a bug behind a command, which is rejected (R2, T4)", () =>
    Effect.gen(function* () {
      const session = yield* Testing.session()
      const rejected = yield* until(({ event }) => event._tag === "CommandRejected")
      yield* session.send(buggy(session.id))
      assert.include(JSON.stringify(yield* rejected.seen), "SubmitPrompt crashed")
      const seen = yield* session.run("hi")
      assert.strictEqual(seen.at(-1)?.event._tag, "TaskCompleted")
    }).pipe(Effect.provide(Testing.layer({ model: ["Done"] })))
  )
})
