import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Ui } from "../ui/Ui.ts"
import { Composer } from "./terminal/Composer.ts"
import { Form } from "./terminal/Form.ts"
import { Interruptions } from "./terminal/Interruptions.ts"
import { Keyboard } from "./terminal/Keyboard.ts"
import { Lines } from "./terminal/plain/Lines.ts"
import * as PlainComposer from "./terminal/plain/PlainComposer.ts"
import * as PlainForm from "./terminal/plain/PlainForm.ts"
import * as PlainUi from "./terminal/plain/PlainUi.ts"
import { Region } from "./terminal/Region.ts"
import { Screen } from "./terminal/Screen.ts"
import * as TerminalUi from "./terminal/TerminalUi.ts"

export interface FrontendOptions {
  /** Only the final answer goes to standard output where that is no terminal. */
  readonly split: boolean
  /** Reads keys where there is a terminal. */
  readonly keys: boolean
}

type Parts = Ui | Region | Composer | Form | Keyboard | Interruptions

/** A terminal that is drawn, and read key by key. */
const drawn = (keys: boolean): Layer.Layer<Parts, never, Screen> =>
  TerminalUi.layer.pipe(
    Layer.provideMerge(Layer.merge(Composer.layer, Form.layer)),
    Layer.provideMerge(Region.layer),
    Layer.provideMerge(keys ? Keyboard.layer : Keyboard.layerNone),
    Layer.provideMerge(Interruptions.layer)
  )

/** A terminal that gets lines, and gives lines. */
const plain = (keys: boolean): Layer.Layer<Parts, never, Screen> =>
  PlainUi.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(PlainComposer.layer, PlainForm.layer, Region.layer, Keyboard.layerNone)),
    Layer.provide(keys ? Lines.layer : Lines.layerNone),
    Layer.provideMerge(Interruptions.layer)
  )

/** The terminal as a frontend, with the streams that are terminals. */
export const layer = ({ keys, split }: FrontendOptions): Layer.Layer<Parts | Screen> =>
  Layer.unwrapEffect(
    Effect.map(Screen, (screen) => {
      const reads = keys && screen.interactive
      return screen.plain && screen.interactive ? plain(reads) : drawn(reads)
    })
  ).pipe(Layer.provideMerge(Screen.layer({ split })))
