import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

type Paint = (text: string) => string

/** How words stand out; nothing does where there is no colour. */
export interface Style {
  readonly coloured: boolean
  readonly bold: Paint
  readonly dim: Paint
  readonly italic: Paint
  readonly inverse: Paint
  readonly red: Paint
  readonly green: Paint
  readonly yellow: Paint
  readonly blue: Paint
  readonly magenta: Paint
  readonly cyan: Paint
  /** White on red. */
  readonly alarm: Paint
}

const paint =
  (open: number, close: number): Paint =>
  (text) =>
    text === "" ? "" : `\u001b[${open}m${text}\u001b[${close}m`

const same: Paint = (text) => text

export const plain: Style = {
  coloured: false,
  bold: same,
  dim: same,
  italic: same,
  inverse: same,
  red: same,
  green: same,
  yellow: same,
  blue: same,
  magenta: same,
  cyan: same,
  alarm: same
}

export const coloured: Style = {
  coloured: true,
  bold: paint(1, 22),
  dim: paint(2, 22),
  italic: paint(3, 23),
  inverse: paint(7, 27),
  red: paint(31, 39),
  green: paint(32, 39),
  yellow: paint(33, 39),
  blue: paint(34, 39),
  magenta: paint(35, 39),
  cyan: paint(36, 39),
  alarm: (text) => paint(41, 49)(paint(97, 39)(text))
}

const isSet = (name: string) => Effect.option(Config.nonEmptyString(name))

/** Colour for a terminal unless `NO_COLOR` is set or it is dumb; `FORCE_COLOR` overrules everything. */
export const styleFor = (terminal: boolean): Effect.Effect<Style> =>
  Effect.gen(function* () {
    const forced = yield* isSet("FORCE_COLOR")
    if (Option.isSome(forced)) return forced.value === "0" ? plain : coloured
    const refused = Option.isSome(yield* isSet("NO_COLOR"))
    const dumb = Option.contains(yield* isSet("TERM"), "dumb")
    return terminal && !refused && !dumb ? coloured : plain
  })
