import { Effect, Layer, Option } from "effect"
import { Composer } from "../../../src/cli/terminal/Composer.ts"
import { Interruptions } from "../../../src/cli/terminal/Interruptions.ts"
import { Keyboard } from "../../../src/cli/terminal/Keyboard.ts"
import { Region } from "../../../src/cli/terminal/Region.ts"
import { Screen } from "../../../src/cli/terminal/Screen.ts"
import * as TerminalUi from "../../../src/cli/terminal/TerminalUi.ts"
import { fakeKeyboard, fakeScreen } from "./fakeScreen.ts"

/** The frontend over a keyboard that the test presses and a screen that it reads. */
export const staged = Effect.gen(function* () {
  const { line, printed, screen } = fakeScreen()
  const { keyboard, press: send } = fakeKeyboard()
  const layer = TerminalUi.layer.pipe(
    Layer.provide(Composer.layer),
    Layer.provideMerge(Region.layer),
    Layer.provideMerge(
      Layer.mergeAll(Interruptions.layer, Layer.succeed(Screen, screen), Layer.succeed(Keyboard, keyboard))
    )
  )
  const press = (name: string, text = "") =>
    Effect.zipRight(
      send({
        input: Option.liftPredicate(text, (text) => text !== ""),
        key: { name, ctrl: false, meta: false, shift: false }
      }),
      Effect.yieldNow()
    )
  const type = (text: string) => Effect.forEach(text, (letter) => press(letter, letter), { discard: true })
  return { layer, press, type, bottom: line, printed }
})
