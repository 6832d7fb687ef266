import { assert, describe, expect, it } from "@effect/vitest"
import { Effect, Schema, Stream, TestClock } from "effect"
import type { ModelService } from "../../src/model/Model.ts"
import { type ModelPart, noUsage } from "../../src/model/ModelPart.ts"
import { Interrupt, SubmitPrompt } from "../../src/runtime/Command.ts"
import type { Event } from "../../src/runtime/Event.ts"
import * as Testing from "../../src/testing.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { Delegate } from "../../src/tools/Delegate.ts"
import { delegate, results, told, turn } from "./Delegating.ts"

const count = 1000
const atOnce = 16

const common = { description: "d", parameters: Schema.Struct({}), success: Schema.String } as const
const Hang = Tool.make("hang", { ...common, approval: "never", handler: () => Effect.never })
const Look = Tool.make("look", { ...common, readOnly: true, handler: () => Effect.succeed("seen") })
const tools = [Delegate, Hang, Look] as const

const called = (id: string, name: string, given: object): ModelPart => ({
  _tag: "FunctionCalled",
  id,
  name,
  arguments: JSON.stringify(given)
})

/** Starts so many workers in one answer; each of them answers at once, or calls a tool. */
const starting = (leaf: ReadonlyArray<ModelPart>): ModelService => ({
  name: "many",
  stream: ({ messages }) => {
    const last = messages.at(-1)?.message
    const begins = last?.role === "user" && last.content === "go"
    const parts = begins
      ? Array.from({ length: count }, (_, at) => called(`c${at}`, "delegate", { task: `leaf ${at}` }))
      : leaf
    return Stream.fromIterable<ModelPart>([...parts, { _tag: "Finished", reason: "stop", usage: noUsage }])
  }
})

const settings = { maxWorkers: count, parallelWorkers: atOnce }

describe("a thousand leaf workers", () => {
  it.effect("complete, at most as many at once as configured, each with one result (U3, U9)", () =>
    Effect.gen(function* () {
      const session = yield* Testing.session()
      yield* session.run("go")
      const recorded = yield* session.recorded
      assert.deepStrictEqual(Testing.Timeline.violations(recorded), [])
      assert.lengthOf(told(recorded, "WorkerCompleted"), count)
      let running = 0
      for (const { event } of recorded) {
        if (event._tag === "WorkerStarted") assert.isAtMost(++running, atOnce)
        if (event._tag === "WorkerCompleted") running--
      }
      assert.lengthOf(results(recorded), count)
    }).pipe(Effect.provide(Testing.layer({ tools, model: starting([{ _tag: "TextDelta", text: "done" }]), settings })))
  )

  it.effect("end with the root that is interrupted, every call once (U8)", () =>
    Effect.gen(function* () {
      const session = yield* Testing.session()
      yield* session.send(new SubmitPrompt({ session: session.id, task: "t", prompt: "go" }))
      let hanging = 0
      yield* session.awaitEvent(
        (event): event is Event => event._tag === "ToolCallStarted" && event.tool === "hang" && ++hanging === atOnce
      )
      yield* session.send(new Interrupt({ session: session.id }))
      yield* Effect.forkDaemon(TestClock.adjust("1 minute"))
      assert.strictEqual((yield* session.awaitEnd("t"))._tag, "TaskInterrupted")
      const recorded = yield* session.recorded
      assert.deepStrictEqual(Testing.Timeline.violations(recorded), [])
      assert.lengthOf(told(recorded, "WorkerStarted"), atOnce)
      assert.lengthOf(told(recorded, "WorkerInterrupted"), atOnce)
      assert.lengthOf(
        results(recorded).filter(([path, tool]) => path === "root" && tool === "delegate"),
        count
      )
    }).pipe(Effect.provide(Testing.layer({ tools, model: starting([called("h", "hang", {})]), settings })))
  )
})

describe("nested workers", () => {
  it.effect("have a timeline that is golden (U3, U9)", () =>
    Effect.gen(function* () {
      const session = yield* Testing.session()
      yield* session.run("go")
      const recorded = yield* session.recorded
      assert.deepStrictEqual(Testing.Timeline.violations(recorded), [])
      yield* Effect.promise(() =>
        expect(Testing.Timeline.render(recorded)).toMatchFileSnapshot("../fixtures/timelines/nested-workers.txt")
      )
    }).pipe(
      Effect.provide(
        Testing.layer({
          tools,
          model: [
            turn("go", { say: "I hand it on." }, delegate("one")),
            turn("one", { call: { name: "look" } }, delegate("two")),
            turn("two", { call: { name: "look" } }),
            turn("two", { say: "Two is done." }),
            turn("one", { say: "One is done." }),
            turn("go", { say: "All is done." })
          ]
        })
      )
    )
  )
})
