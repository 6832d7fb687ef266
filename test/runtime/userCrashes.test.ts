import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema, Stream } from "effect"
import { Tools } from "../../src/agent/Tools.ts"
import { ClientTools } from "../../src/tool/ClientTools.ts"
import { Approvals } from "../../src/approval/Approvals.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import type { Middleware } from "../../src/middleware/Middleware.ts"
import type { ModelService } from "../../src/model/Model.ts"
import { Models } from "../../src/model/Models.ts"
import { type ModelPart, noUsage } from "../../src/model/ModelPart.ts"
import { InvokeTool, SwitchModel } from "../../src/runtime/Command.ts"
import type { Event } from "../../src/runtime/Event.ts"
import * as MemorySessionStore from "../../src/runtime/MemorySessionStore.ts"
import { Projects } from "../../src/runtime/Projects.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import * as Testing from "../../src/testing.ts"
import { Ids } from "../../src/tool/Ids.ts"
import * as Tool from "../../src/tool/Tool.ts"
import type { ToolCall } from "../../src/tool/ToolCall.ts"

const bug = new Error("a bug of the user")
const thrown = (): never => {
  throw bug
}

const endOf = (events: ReadonlyArray<{ readonly event: Event }>) => {
  const end = events.map(({ event }) => event).find(({ _tag }) => _tag === "TaskFailed" || _tag === "TaskCompleted")
  assert(end?._tag === "TaskFailed", "the task failed")
  return end
}

/** Nothing blames Tollgate, and no stack is told. */
const assertPlain = (recorded: ReadonlyArray<{ readonly event: Event }>) => {
  const told = JSON.stringify(recorded.filter(({ event }) => event._tag !== "ToolDefectCaught"))
  assert.notInclude(told, "bug in Tollgate")
  assert.notInclude(told, "a bug of the user")
}

const says = (text: string): ModelPart => ({ _tag: "TextDelta", text })

/** Of a model that no compiler has seen. */
const gives = (...parts: ReadonlyArray<unknown>) => Stream.fromIterable(parts as ReadonlyArray<ModelPart>)
const finished = { _tag: "Finished", reason: "stop", usage: noUsage }
const call = { _tag: "FunctionCalled", id: "c", name: "act", arguments: "{}" }

const crashes: Readonly<Record<string, ModelService["stream"]>> = {
  "gives arguments that are no text": () => gives({ ...call, arguments: { path: "a" } }, finished),
  "calls nothing by name": () => gives({ ...call, name: undefined }, finished),
  "says what is no text": () => gives({ _tag: "TextDelta" }, finished),
  "gives no part": () => gives(undefined, finished),
  "gives a part that there is not": () => gives({ _tag: "text", text: "hi" }, finished),
  "ends for no reason that there is": () => gives(says("hi"), { ...finished, reason: "done" }),
  "counts nothing": () => gives(says("hi"), { _tag: "Finished", reason: "stop" }),
  "fails with what is no failure of a model": () => Stream.fail("no" as never),
  "throws when it is asked": thrown,
  "dies before its first word": () => Stream.die(bug),
  "dies in the middle of its answer": () => Stream.concat(Stream.make(says("half of")), Stream.die(bug)),
  "dies while it cleans up": () => Stream.ensuring(Stream.make(says("all")), Effect.die(bug))
}

describe("a bug in the user's code", () => {
  it.scopedLive.each(Object.entries(crashes))("of a model that %s names the model (T19)", ([, stream]) =>
    Effect.gen(function* () {
      const session = yield* Testing.session()
      const end = endOf(yield* session.run("go"))
      assert.strictEqual(end.kind, "model")
      assert.strictEqual(end.error, "ModelCrashed")
      assert.include(end.message, "Model mine crashed")
      assertPlain(yield* session.recorded)
    }).pipe(Effect.provide(Testing.layer({ model: { name: "mine", stream } })))
  )

  const opening = { throws: thrown, "interrupts itself": () => Effect.interrupt } as const
  it.scopedLive.each(Object.entries(opening))(
    "of code that opens a model, which %s, names the profile, in a task and in a switch (T19)",
    ([, get]) =>
      Effect.gen(function* () {
        const session = yield* Testing.session()
        assert.include(endOf(yield* session.run("go")).message, "Model broken crashed")
        yield* session.send(new SwitchModel({ session: session.id, profile: "other" }))
        const rejected = yield* session.awaitEvent((event) => event._tag === "CommandRejected")
        assert(rejected._tag === "CommandRejected")
        assert.include(rejected.reason, "Model other crashed")
        assertPlain(yield* session.recorded)
      }).pipe(
        Effect.provide(
          Runtime.layer.pipe(
            Layer.provide(Tools.layerEffect(Toolset.make([]))),
            Layer.provide(Layer.succeed(Models, { profiles: ["broken"], preferred: "broken", get })),
            Layer.provide(ClientTools.layer()),
            Layer.provide(Approvals.layer({ policy: "allow" })),
            Layer.provideMerge(MemorySessionStore.layer),
            Layer.provideMerge(Ids.layerSequential)
          )
        )
      )
  )

  it.scopedLive.each(Object.entries(opening))(
    "of code that routes, which %s, names that code and no model (T19)",
    ([, route]) =>
      Effect.gen(function* () {
        const session = yield* Testing.session()
        assert.strictEqual(
          endOf(yield* session.run("go")).message,
          "Profile p cannot be used: the code that routes it crashed. See the log."
        )
        assertPlain(yield* session.recorded)
      }).pipe(
        Effect.provide(
          Runtime.layer.pipe(
            Layer.provide(Tools.layerEffect(Toolset.make([]))),
            Layer.provide(Layer.succeed(Models, { profiles: ["p"], preferred: "p", get: () => Effect.never, route })),
            Layer.provide(ClientTools.layer()),
            Layer.provide(Approvals.layer({ policy: "allow" })),
            Layer.provideMerge(MemorySessionStore.layer),
            Layer.provideMerge(Ids.layerSequential)
          )
        )
      )
  )

  it.scopedLive.each(Object.entries(opening))(
    "of code that opens projects, which %s, names that code (T19)",
    ([, crash]) =>
      Effect.gen(function* () {
        const refused = yield* Effect.flip((yield* Runtime).session({ id: "s", create: { project: "/work" } }))
        assert.strictEqual(
          refused.message,
          "/work could not be made ready: the code that opens projects crashed. See the log."
        )
      }).pipe(
        Effect.provide(
          Runtime.layerProjects.pipe(
            Layer.provide(
              Layer.succeed(Projects, {
                locate: (directory) => Effect.succeed({ project: directory, directory }),
                get: crash
              })
            ),
            Layer.provide(Layer.succeed(Models, { profiles: ["p"], preferred: "p", get: () => Effect.never })),
            Layer.provide(Approvals.layer({ policy: "allow" })),
            Layer.provide(MemorySessionStore.layer)
          )
        )
      )
  )

  it.scopedLive.each(Object.entries(opening))(
    "of what comes with a project, which %s, leaves its tasks as they are (T19)",
    ([, crash]) =>
      Effect.gen(function* () {
        const session = yield* (yield* Runtime).session({ id: "s", create: { project: "/work" } })
        const task = yield* session.submit("remember that tabs are used here")
        const events = Array.from(yield* Stream.runCollect(task.events))
        assert.strictEqual(events.at(-1)?.event._tag, "TaskCompleted")
        assertPlain(events)
        const warned = events.flatMap(({ event }) => (event._tag === "Notified" ? [event.message] : []))
        assert.deepStrictEqual(
          warned.map((message) => /brief|model is told|memory/.exec(message)?.[0]),
          ["model is told", "memory", "memory"]
        )
      }).pipe(
        Effect.provide(
          Runtime.layerProjects.pipe(
            Layer.provide(
              Layer.effect(
                Projects,
                Effect.map(Tools, (tools) => ({
                  locate: (directory) => Effect.succeed({ project: directory, directory }),
                  get: (place) =>
                    Effect.succeed({
                      ...place,
                      tools,
                      branch: Effect.suspend(crash),
                      brief: crash,
                      memory: { asksModel: false, recall: crash, learn: crash, keep: crash }
                    })
                }))
              )
            ),
            Layer.provide(Tools.layerEffect(Toolset.make([]))),
            Layer.provide(Models.layerOf({ m: { name: "m", stream: () => gives(says("hi"), finished) } })),
            Layer.provide(Approvals.layer({ policy: "allow" })),
            Layer.provide(MemorySessionStore.layer)
          )
        )
      )
  )

  const broken = Tool.make("broken", {
    description: "Throws",
    parameters: Schema.Struct({}),
    success: Schema.String,
    approval: "never",
    mode: "both",
    handler: thrown
  })
  it.scopedLive("of a tool names the tool, and a task that is nothing but its call fails with it (T19)", () =>
    Effect.gen(function* () {
      const session = yield* Testing.session()
      yield* session.send(new InvokeTool({ session: session.id, task: "own", tool: "broken", parameters: {} }))
      const end = endOf([{ event: yield* session.awaitEnd("own") }])
      assert.deepStrictEqual([end.kind, end.error, end.message], ["defect", "Crashed", "tool broken crashed"])
      const seen = yield* session.run("go")
      const failed = seen.map(({ event }) => event).find(({ _tag }) => _tag === "ToolCallFailed")
      assert(failed?._tag === "ToolCallFailed")
      assert.strictEqual(failed.error.message, "tool broken crashed")
      assertPlain(yield* session.recorded)
    }).pipe(
      Effect.provide(Testing.layer({ tools: [broken], model: [[{ call: { name: "broken" } }], [{ say: "sorry" }]] }))
    )
  )

  it.scopedLive("of a middleware names the tool it stands in front of (T19)", () =>
    Effect.gen(function* () {
      const echo = Tool.make("echo", {
        description: "Echoes",
        parameters: Schema.Struct({}),
        success: Schema.String,
        approval: "never",
        handler: () => Effect.succeed("hello")
      })
      const middleware: Middleware<ToolCall> = () => thrown()
      const toolset = yield* Toolset.make([echo], { middleware })
      const events: Array<Event> = []
      const emit = (event: Event) => Effect.sync(() => void events.push(event))
      yield* Effect.exit(
        toolset.call({
          name: "echo",
          callId: "c",
          sessionId: "s",
          workerPath: ["root"],
          rawParams: {},
          startedAt: 0,
          sink: { emit, commit: emit }
        })
      )
      const failed = events.find(({ _tag }) => _tag === "ToolCallFailed")
      assert(failed?._tag === "ToolCallFailed")
      assert.strictEqual(failed.error.message, "tool echo crashed")
    }).pipe(Effect.provide(Approvals.layer({ policy: "allow" })))
  )
})
