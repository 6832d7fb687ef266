import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Ui } from "../ui/Ui.ts"
import { Composer } from "./terminal/Composer.ts"
import { Keyboard } from "./terminal/Keyboard.ts"
import { Region } from "./terminal/Region.ts"
import { Screen } from "./terminal/Screen.ts"
import * as TerminalUi from "./terminal/TerminalUi.ts"

export interface FrontendOptions {
  /** Only the final answer goes to standard output where that is no terminal. */
  readonly split: boolean
  /** Reads keys where there is a terminal. */
  readonly keys: boolean
}

/** The terminal as a frontend, with the streams that are terminals. */
export const layer = ({ keys, split }: FrontendOptions): Layer.Layer<Ui | Screen | Region | Composer> => {
  const keyboard = Layer.unwrapEffect(
    Effect.map(Screen, ({ interactive }) => (keys && interactive ? Keyboard.layer : Keyboard.layerNone))
  )
  return TerminalUi.layer.pipe(
    Layer.provideMerge(Composer.layer),
    Layer.provideMerge(Region.layer),
    Layer.provide(keyboard),
    Layer.provideMerge(Screen.layer({ split }))
  )
}
