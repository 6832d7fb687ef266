import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, FastCheck, Layer, Option, TestClock } from "effect"
import { Configuration } from "../../../src/config/Configuration.ts"
import { Surroundings } from "../../../src/host/Surroundings.ts"
import type { Prompt } from "../../../src/cli/prompt/commands/Command.ts"
import * as Typing from "../../../src/cli/prompt/Typing.ts"
import { Composer } from "../../../src/cli/terminal/Composer.ts"
import { Form } from "../../../src/cli/terminal/Form.ts"
import { Interruptions } from "../../../src/cli/terminal/Interruptions.ts"
import { Keyboard } from "../../../src/cli/terminal/Keyboard.ts"
import { Region } from "../../../src/cli/terminal/Region.ts"
import { Screen } from "../../../src/cli/terminal/Screen.ts"
import { Ui } from "../../../src/ui/Ui.ts"
import { fakeKeyboard, fakeScreen } from "../terminal/fakeScreen.ts"

const escape = {
  input: Option.some("\u001b"),
  key: { name: "escape", ctrl: false, meta: false, shift: false }
}

const shiftTab = { input: Option.none(), key: { name: "tab", ctrl: false, meta: false, shift: true } }

/** What the keys at an empty prompt have asked for. */
const typing = Effect.gen(function* () {
  const { screen } = fakeScreen()
  const { keyboard, press } = fakeKeyboard()
  const performed: Array<string> = []
  const services = Layer.mergeAll(Composer.layer, Form.layer).pipe(
    Layer.provideMerge(Region.layer),
    Layer.provideMerge(Layer.succeed(Screen, screen)),
    Layer.provideMerge(Layer.succeed(Keyboard, keyboard)),
    Layer.provide(Interruptions.layer),
    Layer.merge(Configuration.layer()),
    Layer.merge(Layer.mock(Ui, {})),
    Layer.provideMerge(Layer.succeed(Surroundings, { directory: "/", env: {} }))
  )
  const context = yield* Layer.build(services)
  const prompt = { isRunning: () => false } as Prompt
  const done = yield* Deferred.make<void>()
  const perform = (line: string) =>
    Effect.zipRight(
      Effect.sync(() => void performed.push(line)),
      line === "/mode next" ? Deferred.await(done) : Effect.void
    )
  yield* Effect.provide(Typing.make({ prompt, dialogue: Effect.never, perform }), context)
  yield* Effect.forkScoped(Context.get(context, Composer).next("› "))
  yield* TestClock.adjust(0)
  const pressed = (key: typeof escape | typeof shiftTab) => Effect.zipRight(press(key), TestClock.adjust(0))
  return { performed, press: pressed(escape), shift: pressed(shiftTab), done }
})

describe("the keys at a prompt", () => {
  it.scoped("take two Escapes for a rewind only where they follow within half a second (U7, U12)", () =>
    Effect.gen(function* () {
      for (const pauses of FastCheck.sample(
        FastCheck.array(FastCheck.integer({ min: 0, max: 1200 }), { maxLength: 8 }),
        40
      )) {
        const { performed, press } = yield* typing
        let expected = 0
        let armed = false
        yield* press
        armed = true
        for (const pause of pauses) {
          yield* TestClock.adjust(pause)
          yield* press
          const again: boolean = armed && pause <= 500
          if (again) expected++
          armed = !again
        }
        assert.deepStrictEqual(
          performed,
          Array.from({ length: expected }, () => "/rewind"),
          pauses.join(" ")
        )
      }
    })
  )

  it.scoped("take one step of the modes after the other, however fast they are pressed (U13)", () =>
    Effect.gen(function* () {
      const { done, performed, shift } = yield* typing
      yield* Effect.zipRight(shift, shift)
      assert.deepStrictEqual(performed, ["/mode next"])
      yield* Effect.zipRight(Deferred.succeed(done, undefined), TestClock.adjust(0))
      assert.deepStrictEqual(performed, ["/mode next", "/mode next"])
    })
  )
})
