import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Bottom, BottomLine } from "./Drawing.ts"
import { Screen } from "./Screen.ts"
import type { Written } from "./transcript/Transcript.ts"

/** Rows at the bottom that are drawn anew; what waits for an answer may take more, since it is shown whole. */
export const regionRows = 12

/** What stands in the region, asked for each time it is drawn; all of it may change at any time. */
export interface Slots {
  /** What goes on, the latest last; a low screen shows the last rows of it. */
  readonly running: () => ReadonlyArray<string>
  /** What is being typed, in `most` rows at most; nothing where no one types. */
  readonly composer: (most: number) => BottomLine | undefined
  /** The last row, in so many columns at most. */
  readonly statusLine: (width: number) => string | undefined
}

/** Shows one line or block in place of what goes on and what is typed. */
export type Show = (line: Bottom | undefined) => Effect.Effect<void>

/**
 * The live rows at the bottom of the screen: what goes on, what is typed or who has borrowed its place, and a status line. Text that is
 * printed stands above them and stays.
 */
export class Region extends Context.Tag("tollgate/cli/Region")<
  Region,
  {
    /** Fills some of the slots; what filled them before is gone. */
    readonly place: (slots: Partial<Slots>) => Effect.Effect<void>
    /** Prints above the region. */
    readonly print: (written: ReadonlyArray<Written>) => Effect.Effect<void>
    /** Draws it soon, as often as the screen allows. */
    readonly changed: Effect.Effect<void>
    /** Draws it at once, as a key asks for. */
    readonly redraw: Effect.Effect<void>
    /** Empties the screen above it. */
    readonly clear: Effect.Effect<void>
    /** Lends the place of what goes on and what is typed; a later borrower has it until it is done. */
    readonly lend: <A, E, R>(use: (show: Show) => Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Rows that a borrower can have. */
    readonly height: () => number
  }
>() {
  static readonly layer: Layer.Layer<Region, never, Screen> = Layer.effect(
    Region,
    Effect.map(Screen, (screen) => {
      let slots: Slots = { running: () => [], composer: () => undefined, statusLine: () => undefined }
      /** Who has the region; the last one has it now. */
      let borrowers: ReadonlyArray<{ line: Bottom | undefined }> = []

      const statusLine = () => slots.statusLine(screen.width() - 1)
      const height = () => screen.height() - (statusLine() === undefined ? 0 : 1)
      const own = (room: number): BottomLine | undefined => {
        const composer = slots.composer(Math.max(1, Math.min(room - 1, Math.floor(screen.height() / 2))))
        const typed = composer === undefined ? [] : [...(composer.above ?? []), composer.text]
        const running = slots.running()
        const rows = [...running.slice(Math.max(0, running.length + typed.length - room)), ...typed]
        const text = rows.pop()
        return text === undefined ? undefined : { ...composer, above: rows, text }
      }
      const line = (): BottomLine | undefined => {
        const status = statusLine()
        const borrower = borrowers.at(-1)
        const room = Math.min(regionRows, screen.height() - 1) - (status === undefined ? 0 : 1)
        const shown =
          borrower === undefined ? own(room) : typeof borrower.line === "function" ? borrower.line() : borrower.line
        if (status === undefined) return shown
        if (shown === undefined) return { text: status }
        return {
          ...shown,
          above: [...(shown.above ?? []), shown.text],
          text: status,
          ...(shown.cursor === undefined ? {} : { up: (shown.up ?? 0) + 1 })
        }
      }
      const redraw = screen.bottom(line)
      const print = ({ text, to }: Written) => (to === "answer" ? screen.answer(text) : screen.progress(text))

      return Region.of({
        place: (some) =>
          Effect.suspend(() => {
            slots = { ...slots, ...some }
            return redraw
          }),
        print: (written) => (written.length === 0 ? screen.changed : Effect.forEach(written, print, { discard: true })),
        changed: screen.changed,
        redraw,
        clear: screen.clear,
        lend: (use) =>
          Effect.acquireUseRelease(
            Effect.sync(() => {
              const borrower: { line: Bottom | undefined } = { line: undefined }
              borrowers = [...borrowers, borrower]
              return borrower
            }),
            (borrower) =>
              use((shown) =>
                Effect.suspend(() => {
                  borrower.line = shown
                  return borrowers.at(-1) === borrower ? redraw : Effect.void
                })
              ),
            (borrower) =>
              Effect.suspend(() => {
                borrowers = borrowers.filter((other) => other !== borrower)
                return redraw
              })
          ),
        height
      })
    })
  )
}
