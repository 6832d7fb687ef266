import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option, Stream, TestClock } from "effect"
import { Keyboard, type OnKey } from "../../../src/cli/terminal/Keyboard.ts"
import { Composer } from "../../../src/cli/terminal/Composer.ts"
import { Region } from "../../../src/cli/terminal/Region.ts"
import { type BottomLine, Screen } from "../../../src/cli/terminal/Screen.ts"
import { plain } from "../../../src/cli/terminal/Style.ts"
import * as TerminalUi from "../../../src/cli/terminal/TerminalUi.ts"
import { Ui } from "../../../src/ui/Ui.ts"

/** The frontend over a keyboard that the test presses and a screen that it reads. */
const staged = Effect.gen(function* () {
  let holders: ReadonlyArray<OnKey> = []
  let bottom: BottomLine | undefined
  let printed = ""
  const screen = Layer.succeed(Screen, {
    style: plain,
    interactive: true,
    live: true,
    plain: false,
    split: false,
    width: () => 80,
    height: () => 24,
    page: (use) => use(() => Effect.void),
    progress: (text) => Effect.sync(() => void (printed += text)),
    answer: () => Effect.void,
    bell: Effect.void,
    changed: Effect.void,
    clear: Effect.void,
    lend: (self) => self,
    bottom: (line) => Effect.sync(() => void (bottom = typeof line === "function" ? line() : line))
  })
  const keyboard = Layer.succeed(Keyboard, {
    lend: (self) => self,
    focus: (onKey) => (self) =>
      Effect.acquireUseRelease(
        Effect.sync(() => void (holders = [...holders, onKey])),
        () => self,
        () => Effect.sync(() => void (holders = holders.filter((other) => other !== onKey)))
      )
  })
  const layer = TerminalUi.layer.pipe(
    Layer.provide(Composer.layer),
    Layer.provide(Region.layer),
    Layer.provide([screen, keyboard])
  )
  const press = (name: string, input = "") =>
    Effect.zipRight(
      Effect.suspend(
        () =>
          holders.at(-1)?.({
            input: Option.liftPredicate(input, (text) => text !== ""),
            key: { name, ctrl: false, meta: false, shift: false }
          }) ?? Effect.void
      ),
      Effect.yieldNow()
    )
  const type = (text: string) => Effect.forEach(text, (letter) => press(letter, letter), { discard: true })
  return { layer, press, type, printed: () => printed, bottom: () => bottom }
})

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
      assert.deepStrictEqual(yield* Fiber.join(line), Option.some("hi"))
      assert.strictEqual(interruptions, 0)
      yield* Effect.fork(ui.question("Which?"))
      yield* TestClock.adjust(1)
      yield* press("escape")
      yield* TestClock.adjust(1)
      assert.strictEqual(interruptions, 1)
    })
  )
})
