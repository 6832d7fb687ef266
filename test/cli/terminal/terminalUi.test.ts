import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option, Stream, TestClock } from "effect"
import { Ui } from "../../../src/ui/Ui.ts"
import { requested } from "../../approval/requested.ts"
import { staged } from "./staged.ts"

describe("TerminalUi", () => {
  it.scoped("does nothing on Esc at an empty prompt, clears one that is not, and interrupts a question (U8, U12)", () =>
    Effect.gen(function* () {
      const { bottom, layer, press, type } = yield* staged
      const ui = yield* Effect.flatMap(Layer.build(layer), (context) => Effect.provide(Ui, context))
      let interruptions = 0
      yield* Effect.forkScoped(Stream.runForEach(ui.interruptions, () => Effect.sync(() => interruptions++)))
      const line = yield* Effect.fork(ui.input("› "))
      yield* TestClock.adjust(1)
      yield* press("escape")
      yield* press("escape")
      yield* type("hello")
      assert.strictEqual(bottom()?.text, "› hello")
      yield* press("escape")
      assert.strictEqual(bottom()?.text, "› ")
      yield* type("hi")
      yield* press("return")
      assert.strictEqual(Option.getOrUndefined(yield* Fiber.join(line)), "hi")
      assert.strictEqual(interruptions, 0)
      yield* Effect.fork(ui.question("Which?"))
      yield* TestClock.adjust(1)
      yield* press("escape")
      yield* TestClock.adjust(1)
      assert.strictEqual(interruptions, 1)
    })
  )

  it.scoped("takes nothing that is typed at a request that is over, until the person pauses (A8, U8)", () =>
    Effect.gen(function* () {
      const { bottom, layer, press, type } = yield* staged
      const ui = yield* Effect.flatMap(Layer.build(layer), (context) => Effect.provide(Ui, context))
      const line = yield* Effect.fork(ui.input("› "))
      const request = requested({ command: "make test" })
      const call = { key: "k", tool: "run_shell", arguments: "", worker: [] }
      const asked = yield* Effect.fork(ui.approve({ call, request, waiting: () => 0, others: () => [] }))
      yield* TestClock.adjust("1 second")
      yield* press("r", "r")
      yield* TestClock.adjust("1 second")
      yield* type("no eno")
      assert.include(bottom()?.text, "no eno")
      yield* Fiber.interrupt(asked)
      for (const letter of "ugh") {
        yield* TestClock.adjust("999 millis")
        assert.include(bottom()?.text, "the request is over · ↑ recalls what you were writing")
        yield* press(letter, letter)
      }
      yield* press("return")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(bottom()?.text, "› ")
      yield* press("up")
      assert.include(bottom()?.text, "no eno")
      yield* press("down")
      assert.strictEqual(bottom()?.text, "› ")
      yield* type("hi")
      yield* press("return")
      assert.strictEqual(Option.getOrUndefined(yield* Fiber.join(line)), "hi")
    })
  )

  it.scoped.each([
    ["y", 1, "› "],
    ["y", 3, "› y"],
    ["yes", 1, "› yes"]
  ] as const)("where %j was typed %i s before a request, leaves of it %j behind (A5, U12)", ([typed, seconds, left]) =>
    Effect.gen(function* () {
      const { bottom, layer, type } = yield* staged
      const ui = yield* Effect.flatMap(Layer.build(layer), (context) => Effect.provide(Ui, context))
      yield* Effect.fork(ui.input("› "))
      yield* TestClock.adjust(1)
      yield* type(typed)
      yield* TestClock.adjust(`${seconds} seconds`)
      const call = { key: "k", tool: "run_shell", arguments: "", worker: [] }
      const request = requested({ command: "make test" })
      const asked = yield* Effect.fork(ui.approve({ call, request, waiting: () => 0, others: () => [] }))
      yield* TestClock.adjust(1)
      yield* Fiber.interrupt(asked)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(bottom()?.text, left)
    })
  )

  it.scoped("grows with what is typed to ten rows, and says how many more there are (U12)", () =>
    Effect.gen(function* () {
      const { bottom, layer, press, type } = yield* staged
      const ui = yield* Effect.flatMap(Layer.build(layer), (context) => Effect.provide(Ui, context))
      yield* Effect.fork(ui.input("› "))
      yield* TestClock.adjust(1)
      const rows = () => (bottom()?.above ?? []).length + 1
      for (let line = 1; line <= 15; line++) {
        yield* type(`line ${line}`)
        assert.strictEqual(rows(), Math.min(line, 10))
        yield* press("enter")
      }
      assert.match(bottom()?.above?.[0] ?? "", /^… \d rows above/)
    })
  )
})
