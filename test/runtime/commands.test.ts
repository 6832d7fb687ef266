import { assert, describe, it } from "@effect/vitest"
import { Chunk, Effect, Option, Queue, Schema, Stream } from "effect"
import {
  CancelTask,
  ClearSession,
  CompactSession,
  CreateSession,
  EndSession,
  InvokeTool,
  ResumeLastSession,
  ResumeSession,
  SetApprovalPolicy,
  Shutdown,
  SubmitPrompt,
  SwitchModel
} from "../../src/runtime/Command.ts"
import type { EventTag } from "../../src/runtime/Event.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import * as Testing from "../../src/testing.ts"
import * as Tool from "../../src/tool/Tool.ts"

const common = { description: "d", parameters: Schema.Struct({ text: Schema.String }), success: Schema.String }
const tools = [
  Tool.make("push", { ...common, mode: "manual", handler: ({ text }) => Effect.succeed(`pushed ${text}`) }),
  Tool.make("look", { ...common, readOnly: true, handler: ({ text }) => Effect.succeed(`saw ${text}`) })
] as const

/** The first event of a kind from now on, in any session. */
const next = (tag: EventTag) =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const events = yield* runtime.events
    const found = Stream.runHead(Stream.filter(events, ({ event }) => event._tag === tag))
    return { event: Effect.map(found, (envelope) => Option.getOrThrow(envelope).event) }
  })

const session = "session_1"

describe("commands", () => {
  it.effect("go through a bounded queue that refuses them after the end, and events end with it (R1)", () =>
    Effect.gen(function* () {
      const runtime = yield* Runtime
      const all = yield* runtime.events
      const created = yield* next("SessionCreated")
      assert.isAbove(runtime.commands.capacity(), 0)
      assert.isTrue(yield* Queue.offer(runtime.commands, new CreateSession({ session, project: "test" })))
      yield* created.event
      yield* Queue.offer(runtime.commands, new Shutdown({}))
      const tags = Chunk.toReadonlyArray(yield* Stream.runCollect(all)).map(({ event }) => event._tag)
      assert.deepStrictEqual(tags, ["SessionCreated", "SessionSuspended", "RuntimeStopped"])
      assert.isFalse(yield* Queue.offer(runtime.commands, new Shutdown({})))
      assert.strictEqual((yield* Effect.flip(runtime.send(new Shutdown({}))))._tag, "RuntimeHasStopped")
    }).pipe(Effect.provide(Testing.layer({ model: [] })))
  )

  it.effect("run a manual tool for a person, whose result is a system message, and no model's tool (R2, U2, U6)", () =>
    Effect.gen(function* () {
      const under = yield* Testing.session()
      const invoke = (task: string, tool: string) =>
        under.send(new InvokeTool({ session, task, tool, parameters: { text: "it" } }))
      yield* invoke("a", "push")
      assert.deepInclude(yield* under.awaitEnd("a"), { _tag: "TaskCompleted", text: "pushed it" })
      yield* invoke("b", "look")
      assert.deepInclude(yield* under.awaitEnd("b"), { _tag: "TaskFailed", kind: "denied" })
      const recorded = yield* under.recorded
      assert.deepStrictEqual(Testing.Timeline.violations(recorded), [])
      assert.include(JSON.stringify(recorded), '"role":"system","content":"The user ran push: pushed it"')
    }).pipe(Effect.provide(Testing.layer({ tools, model: [] })))
  )

  it.effect("say of parameters that are no JSON data that they are none, and run nothing (R2, T9)", () =>
    Effect.gen(function* () {
      const under = yield* Testing.session()
      const cycle: Record<string, unknown> = {}
      cycle["text"] = cycle
      const throwing = {
        get text() {
          throw new Error("no text")
        }
      }
      for (const parameters of [{ text: 1n }, cycle, throwing, Symbol("it"), () => "it"]) {
        const { await: end } = yield* under.invoke("push", parameters)
        const failed = yield* end
        assert.deepInclude(failed, { _tag: "TaskFailed", kind: "denied" })
        assert.match(JSON.stringify(failed), /parameters of push are not JSON data|are not a JSON object/)
      }
      const tags = (yield* under.recorded).map(({ event }) => event._tag)
      assert.notInclude(tags, "ToolCallStarted")
    }).pipe(Effect.provide(Testing.layer({ tools, model: [] })))
  )

  it.effect("clear and compact what the model sees, while the log keeps it (R2)", () =>
    Effect.gen(function* () {
      const model = yield* Testing.Scripted.make(["One", "a summary", "Two", "Three"])
      yield* Effect.gen(function* () {
        const under = yield* Testing.session()
        yield* under.run("first")
        yield* under.send(new CompactSession({ session, task: "compact" }))
        assert.strictEqual((yield* under.awaitEnd("compact"))._tag, "TaskCompleted")
        yield* under.run("second")
        const cleared = yield* next("SessionCleared")
        yield* under.send(new ClearSession({ session }))
        yield* cleared.event
        yield* under.run("third")
        assert.deepStrictEqual(Testing.Timeline.violations(yield* under.recorded), [])
        assert.include(JSON.stringify(yield* under.recorded), "first")
      }).pipe(Effect.provide(Testing.layer({ model })))
      const seen = (yield* model.requests).map(({ messages }) => messages.map(({ message }) => message.content))
      assert.deepStrictEqual(seen[2], ["Summary of the conversation so far:\na summary", "second"])
      assert.deepStrictEqual(seen[3], ["third"])
    })
  )

  it.effect(
    "switch the model only where it can be opened, set the policy, and reject what makes no sense (R2, R10)",
    () =>
      Effect.gen(function* () {
        const under = yield* Testing.session()
        yield* under.send(new SwitchModel({ session, profile: "none", commandId: "c1" }))
        yield* under.send(new SwitchModel({ session, profile: "scripted" }))
        yield* under.send(new SetApprovalPolicy({ session, policy: "deny" }))
        yield* under.send(new CancelTask({ session, task: "none" }))
        yield* under.run("hi", "t")
        yield* under.send(new SubmitPrompt({ session, task: "t", prompt: "hi" }))
        yield* under.run("end", "u")
        const told = (yield* under.recorded).map(({ event }) => event)
        assert.deepInclude(
          told.find((event) => event._tag === "CommandRejected" && event.commandId === "c1"),
          { command: "SwitchModel" }
        )
        assert.strictEqual(told.filter((event) => event._tag === "ModelSwitched").length, 1)
        assert.deepInclude(
          told.find((event) => event._tag === "ApprovalPolicySet"),
          { policy: "deny" }
        )
        assert.strictEqual(told.filter((event) => event._tag === "CommandRejected").length, 3)
      }).pipe(Effect.provide(Testing.layer({ model: ["Done", "Done"] })))
  )

  it.effect("end a session, and resume it by its name or as the last of its project (R2, R9)", () =>
    Effect.gen(function* () {
      const runtime = yield* Runtime
      const under = yield* Testing.session()
      yield* under.run("hi")
      const ended = yield* next("SessionEnded")
      yield* under.send(new EndSession({ session }))
      yield* ended.event
      for (const [commandId, command] of [
        ["last", new ResumeLastSession({ project: "test", commandId: "last" })],
        ["named", new ResumeSession({ session, commandId: "named" })]
      ] as const) {
        const resumed = yield* next("SessionResumed")
        yield* runtime.send(command)
        assert.deepInclude(yield* resumed.event, { _tag: "SessionResumed", commandId })
        const closed = yield* next("SessionEnded")
        yield* runtime.send(new EndSession({ session }))
        yield* closed.event
      }
      const rejected = yield* next("CommandRejected")
      yield* runtime.send(new ResumeLastSession({ project: "elsewhere" }))
      assert.deepInclude(yield* rejected.event, { command: "ResumeLastSession" })
      const recorded = yield* under.recorded
      assert.deepStrictEqual(Testing.Timeline.violations(recorded), [])
    }).pipe(Effect.provide(Testing.layer({ model: ["Done"] })))
  )
})
