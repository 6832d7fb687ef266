import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, FastCheck as fc, Queue, Schema, Stream } from "effect"
import { CancelTask, Interrupt, SubmitPrompt } from "../../src/runtime/Command.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import * as Testing from "../../src/testing.ts"
import * as Tool from "../../src/tool/Tool.ts"

const session = "session_1"
const submit = (task: string) => new SubmitPrompt({ session, task, prompt: task })

/** A tool whose calls never end by themselves, and the moment at which the first has begun. */
const stuck = Effect.map(Deferred.make<void>(), (begun) => ({
  begun: Deferred.await(begun),
  tool: Tool.make("wait", {
    description: "Waits",
    parameters: Schema.Struct({}),
    success: Schema.String,
    readOnly: true,
    timeout: 0,
    idleTimeout: 0,
    handler: () => Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never)
  })
}))

const model = { turns: [[{ call: { name: "wait", arguments: {} } }]] } as const

describe("a cancellation", () => {
  it.effect("does not wait behind 10,000 prompts, each of which is taken or refused at once (R5)", () =>
    Effect.gen(function* () {
      const { begun, tool } = yield* stuck
      yield* Effect.gen(function* () {
        const runtime = yield* Runtime
        const under = yield* Testing.session()
        yield* runtime.send(submit("first"))
        yield* begun
        const flood = Array.from({ length: 10_000 }, (_, n) => Effect.either(runtime.send(submit(`task_${n}`))))
        const answers = yield* Effect.all(flood, { concurrency: "unbounded" })
        const refused = answers.filter(({ _tag }) => _tag === "Left")
        assert.strictEqual(refused.length, 10_000 - 63)
        assert.include(String(refused[0]), "TooManyTasks")
        assert.isFalse(yield* Queue.offer(runtime.commands, submit("one more")))
        yield* runtime.send(new CancelTask({ session, task: "first" }))
        assert.strictEqual((yield* under.awaitEnd("first"))._tag, "TaskInterrupted")
        yield* runtime.send(new Interrupt({ session }))
        yield* Effect.forEach(Array.from({ length: 63 }), (_, n) => under.awaitEnd(`task_${n}`), { discard: true })
        const recorded = yield* under.recorded
        assert.deepStrictEqual(Testing.Timeline.violations(recorded), [])
        assert.isBelow(recorded.length, 600)
        assert.isEmpty(recorded.filter(({ event }) => event._tag === "CommandRejected"))
      }).pipe(Effect.provide(Testing.layer({ tools: [tool], model: model.turns })))
    })
  )

  it.effect.prop(
    "ends every task that was asked for before it and none that was asked for after it (R4)",
    { before: fc.integer({ min: 1, max: 20 }), one: fc.boolean() },
    ({ before, one }) =>
      Effect.gen(function* () {
        const latch = yield* Effect.makeLatch()
        const scripted = yield* Testing.Scripted.make(Array.from({ length: 21 }, () => "Done"))
        const model = {
          ...scripted,
          stream: (request: Parameters<typeof scripted.stream>[0]) =>
            Stream.unwrap(Effect.as(latch.await, scripted.stream(request)))
        }
        yield* Effect.gen(function* () {
          const runtime = yield* Runtime
          const under = yield* Testing.session()
          const names = Array.from({ length: before }, (_, n) => `before_${n}`)
          yield* Effect.forEach(names, (task) => runtime.send(submit(task)), { discard: true })
          yield* runtime.send(one ? new CancelTask({ session, task: names.at(-1)! }) : new Interrupt({ session }))
          yield* runtime.send(submit("after"))
          yield* under.awaitEnd(names.at(-1)!)
          if (one) yield* latch.open
          const ends = yield* Effect.forEach(names, (task) => under.awaitEnd(task))
          const expected = names.map((_, n) => (one && n < before - 1 ? "TaskCompleted" : "TaskInterrupted"))
          assert.deepStrictEqual(
            ends.map(({ _tag }) => _tag),
            expected
          )
          yield* latch.open
          assert.strictEqual((yield* under.awaitEnd("after"))._tag, "TaskCompleted")
          assert.deepStrictEqual(Testing.Timeline.violations(yield* under.recorded), [])
        }).pipe(Effect.provide(Testing.layer({ model })))
      }),
    { fastCheck: { numRuns: 30 } }
  )
})
