import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { beginning, broken, columns, fit, unstyled, withCursor } from "./Layout.ts"
import { eraseBelow, eraseRest, hideCursor, home, showCursor } from "./terminalCodes.ts"

/**
 * The line below everything else, and rows that stand above it; `cursor` is the column at which the person types, in a row
 * that is `up` rows above the line.
 */
export interface BottomLine {
  readonly above?: ReadonlyArray<string>
  readonly text: string
  readonly cursor?: number
  readonly up?: number
  /** The rows stand there for long: the cursor stays in a row of its own below them, where every terminal keeps it. */
  readonly tall?: boolean
}

/** The bottom line, or how it looks by the time it is drawn, on a screen of that size. */
export type Bottom = BottomLine | (() => BottomLine | undefined)

/** What a terminal does with rows on its screen, and with the cursor in them, where it becomes narrower. */
export interface Reflow {
  /** It breaks rows that are too long by now, rather than to cut them. */
  readonly breaks: boolean
  /** Its cursor stays at the character at which it was, also in a row that breaks or above one. */
  readonly keepsCursor: boolean
}

/** Terminals on xterm.js, which leaves the row of the cursor unbroken and moves it by what breaks below it. */
const onXtermJs: ReadonlyArray<string> = ["vscode", "Hyper", "Tabby", "Terminus"]

/** What the terminal of this environment does; tmux does it for the one that it runs in. */
export const reflowOf: Effect.Effect<Reflow> = Effect.gen(function* () {
  const named = (name: string) =>
    Effect.map(
      Effect.option(Config.string(name)),
      Option.getOrElse(() => "")
    )
  if ((yield* named("TMUX")) !== "") return { breaks: true, keepsCursor: true }
  const cuts =
    (yield* named("STY")) !== "" || (yield* named("XTERM_VERSION")) !== "" || (yield* named("TERM")) === "linux"
  if (cuts) return { breaks: false, keepsCursor: true }
  return { breaks: true, keepsCursor: !onXtermJs.includes(yield* named("TERM_PROGRAM")) }
})

/** Rows at the bottom of a screen, as they are written from the first cell of a row on. */
export interface Drawing {
  readonly text: string
  /** The rows above that of the cursor. */
  readonly above: ReadonlyArray<string>
  /** What stands before the cursor in its row. */
  readonly before: string
}

/** Draws rows that fit on the screen; where the terminal would move its cursor, it is put below them and another one is drawn. */
export const drawingOf = (
  { above = [], cursor, tall = false, text, up = 0 }: BottomLine,
  { height, width }: { readonly width: number; readonly height: number },
  { keepsCursor }: Reflow
): Drawing => {
  const rows = [...above, text].slice(1 - height).map((row) => fit(row, width - 1))
  const last = rows.length - 1
  const at = Math.max(0, last - up)
  const column = cursor === undefined ? undefined : Math.min(cursor, width - 1)
  if (tall || !keepsCursor) {
    const shown = column === undefined ? rows : rows.map((row, index) => (index === at ? withCursor(row, column) : row))
    return { text: `${hideCursor}${shown.join("\r\n")}\r\n`, above: shown, before: "" }
  }
  const upTo = (row: number) => (row === last ? "" : `\u001b[${last - row}A`)
  if (column === undefined) return { text: `${hideCursor}${rows.join("\r\n")}\r${upTo(0)}`, above: [], before: "" }
  // Where nothing stands behind what is typed, a blank does: the cursor keeps to a cell that was written.
  const shown = rows.map((row, index) => (index === at && columns(row) <= column ? `${row} ` : row))
  return {
    text: `${showCursor}${shown.join("\r\n")}\r${upTo(at)}${column === 0 ? "" : `\u001b[${column}C`}`,
    above: shown.slice(0, at),
    before: beginning(shown[at] ?? "", column)
  }
}

/** Rows from the first one of a drawing to that of the cursor, on a screen of that width by now. */
const rowsAbove = ({ above, before }: Drawing, width: number, { breaks }: Reflow): number => {
  if (!breaks) return above.length
  const taken = (row: string) => broken(unstyled(row), width).length
  return above.reduce((sum, row) => sum + taken(row), 0) + taken(`${before} `) - 1
}

/** Takes a drawing away, and leaves the cursor where it began. */
export const erasureOf = (drawn: Drawing, width: number, reflow: Reflow): string => {
  const above = rowsAbove(drawn, width, reflow)
  // Behind its first cell: what is erased from the first cell of the screen on, tmux keeps among what has scrolled away.
  return `\r${above === 0 ? "" : `\u001b[${above}A`}${eraseRest}\u001b[C${eraseBelow}\r`
}

/** Fills the whole screen with these rows. */
export const pageOf = (rows: ReadonlyArray<string>): string =>
  `${home}${rows.map((row) => `${row}${eraseRest}`).join("\r\n")}${eraseBelow}`
