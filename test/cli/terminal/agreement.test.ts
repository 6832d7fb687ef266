import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, FastCheck, Fiber, Layer, Option, TestClock } from "effect"
import { foreign, own } from "../../../src/approval/rendering/Line.ts"
import { Form } from "../../../src/cli/terminal/Form.ts"
import { Interruptions } from "../../../src/cli/terminal/Interruptions.ts"
import { Keyboard } from "../../../src/cli/terminal/Keyboard.ts"
import { Region } from "../../../src/cli/terminal/Region.ts"
import { Screen } from "../../../src/cli/terminal/Screen.ts"
import { fakeKeyboard, fakeScreen } from "./fakeScreen.ts"

const named: Readonly<Record<string, string>> = { "\r": "return", "\u001b": "escape" }

/** A question that is asked, what is shown of it, and the keys for it. */
const asking = <A>(ask: (form: Form["Type"]) => Effect.Effect<A>, height = 24) =>
  Effect.gen(function* () {
    const { page, rows, screen } = fakeScreen({ height })
    const { keyboard, press } = fakeKeyboard()
    const below = Layer.mergeAll(Interruptions.layer, Layer.succeed(Screen, screen), Layer.succeed(Keyboard, keyboard))
    const context = yield* Layer.build(Form.layer.pipe(Layer.provide(Region.layer), Layer.provide(below)))
    const fiber = yield* Effect.fork(ask(Context.get(context, Form)))
    const pause = (millis: number) => TestClock.adjust(millis)
    const type = (text: string, millis: number) =>
      Effect.forEach(
        text,
        (input) =>
          Effect.zipRight(
            press({
              input: Option.some(input),
              key: { name: named[input] ?? input, ctrl: false, meta: false, shift: false }
            }),
            pause(millis)
          ),
        { discard: true }
      )
    yield* pause(0)
    return { fiber, page, pause, rows, type }
  })

const agree = (form: Form["Type"]) => form.agree({ question: "Rewind?" })

describe("a question of yes or no", () => {
  it.scoped.each([
    ["y", true],
    ["Y", true],
    ["y\r", true],
    ["n", false],
    ["\r", false],
    ["\u001b", false]
  ] as const)("takes %j that stands alone (U12)", ([keys, agreed]) =>
    Effect.gen(function* () {
      const { fiber, pause, rows, type } = yield* asking(agree)
      yield* pause(300)
      assert.deepStrictEqual(rows().slice(-2), ["Rewind?", "y yes · n no"])
      yield* type(keys, 10)
      yield* pause(700)
      assert.strictEqual(yield* Fiber.join(fiber), agreed)
    })
  )

  it.scoped("is never said yes to by what is typed for something else, however fast (U12)", () =>
    Effect.gen(function* () {
      const words = FastCheck.string({ minLength: 2, maxLength: 12, unit: FastCheck.constantFrom(..."yesn o") })
      const cases = FastCheck.sample(FastCheck.tuple(words, FastCheck.integer({ min: 0, max: 240 })), 60)
      for (const [text, millis] of cases) {
        const { fiber, pause, type } = yield* asking(agree)
        yield* type(`${text}\r`, millis)
        yield* pause(2000)
        const said = yield* fiber.poll
        assert.isFalse(
          Option.isSome(said) && (yield* Fiber.join(fiber)),
          `${JSON.stringify(text)}, a key each ${millis} ms`
        )
        yield* Fiber.interrupt(fiber)
      }
    })
  )

  it.scoped("shows what it is about as far as there is room, and all of it in pages (U12)", () =>
    Effect.gen(function* () {
      const about = [own("title", "Back"), ...Array.from({ length: 60 }, (_, at) => foreign("value", `line ${at}`))]
      const { fiber, page, pause, rows, type } = yield* asking((form) => form.agree({ question: "Rewind?", about }))
      yield* pause(300)
      // The last row is that of the cursor.
      assert.isAtMost(rows().length, 23)
      assert.match(
        rows().join("\n"),
        /^Back\n│ line 0\n[^]*… \d+ more rows: d shows all\nRewind\?\ny yes · n no · d shows all$/
      )
      yield* type("d", 10)
      assert.match(page()?.join("\n") ?? "", /line 20/)
      yield* type("q", 10)
      assert.isUndefined(page())
      yield* type("n", 10)
      yield* pause(700)
      assert.isFalse(yield* Fiber.join(fiber))
    })
  )
})

describe("a list to pick from", () => {
  const items = [1, 2, 3].map((value) => ({ value, row: `row ${value}` }))
  const pick = (form: Form["Type"]) => form.pick({ question: "Which?", items, declines: true })

  it.scoped("is left by an n that stands alone, and no typed line picks anything (U12)", () =>
    Effect.gen(function* () {
      const { fiber, pause, rows, type } = yield* asking(pick)
      yield* type("no, fix the tests\r", 100)
      yield* pause(1000)
      assert.isTrue(Option.isNone(yield* fiber.poll))
      assert.include(rows().join("\n"), "❯ row 1")
      yield* type("n", 10)
      yield* pause(700)
      assert.isTrue(Option.isNone(yield* Fiber.join(fiber)))
      const again = yield* asking(pick)
      yield* again.type("\r", 10)
      assert.strictEqual(Option.getOrUndefined(yield* Fiber.join(again.fiber)), 1)
    })
  )
})
