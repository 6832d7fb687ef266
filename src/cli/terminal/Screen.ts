import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Config from "effect/Config"
import * as Option from "effect/Option"
import { inForeground } from "../../system/foreground.ts"
import { columns, fit } from "./Layout.ts"
import { type Style, styleFor } from "./Style.ts"

/**
 * The line below everything else, and rows that stand above it; `cursor` is the column at which the person types, in a row
 * that is `up` rows above the line.
 */
export interface BottomLine {
  readonly above?: ReadonlyArray<string>
  readonly text: string
  readonly cursor?: number
  readonly up?: number
  /** The rows above stand there for long: the cursor stays below them, where no terminal that breaks them takes it along. */
  readonly tall?: boolean
}

/** The bottom line, or how it looks on a screen of the present size. */
export type Bottom = BottomLine | (() => BottomLine)

/** Where text goes: a terminal with a few rows at its bottom that are drawn anew, or two plain streams. */
export class Screen extends Context.Tag("tollgate/cli/Screen")<
  Screen,
  {
    readonly style: Style
    /** A person is attached and can type. */
    readonly interactive: boolean
    /** It has a bottom line. */
    readonly live: boolean
    /** Only the final answer goes to standard output; everything else goes to standard error. */
    readonly split: boolean
    /** Columns; unbounded without a terminal. */
    readonly width: () => number
    /** Rows; 24 if unknown. */
    readonly height: () => number
    /**
     * Lends the whole screen, which shows what it showed before once it is given back; what others print meanwhile follows
     * then. Rows are made anew where the size changes; one that is wider than the screen is the borrower's mistake.
     */
    readonly page: <A, E, R>(
      use: (draw: (rows: () => ReadonlyArray<string>) => Effect.Effect<void>) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E, R>
    readonly progress: (text: string) => Effect.Effect<void>
    readonly answer: (text: string) => Effect.Effect<void>
    readonly bottom: (line: Bottom | undefined) => Effect.Effect<void>
    /** Makes the terminal call for attention. */
    readonly bell: Effect.Effect<void>
  }
>() {
  /** `split` only where standard output is no terminal. */
  static readonly layer = (options: { readonly split: boolean }): Layer.Layer<Screen> =>
    Layer.scoped(Screen, make(options))
}

/** Columns of text that no terminal breaks. */
const unbounded = 10_000
const hideCursor = "\u001b[?25l"
const showCursor = "\u001b[?25h"
const otherScreen = "\u001b[?1049h"
const mainScreen = "\u001b[?1049l"
const home = "\u001b[H"
const eraseRest = "\u001b[K"
const eraseBelow = "\u001b[J"

/** Characters that are kept while the screen is lent; the oldest give way. */
const heldLimit = 1024 * 1024

/** Waits until the text is written; does not wait for a reader that has gone. */
const write = (stream: NodeJS.WriteStream, text: string): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    stream.write(text, () => resume(Effect.void))
  })

const make = (options: { readonly split: boolean }) =>
  Effect.gen(function* () {
    const { stderr, stdin, stdout } = process
    const split = options.split && !stdout.isTTY
    const target = split ? stderr : stdout
    const style = yield* styleFor(target.isTTY)
    const dumb = Option.contains(yield* Effect.option(Config.string("TERM")), "dumb")
    // Unset, not false, without a terminal.
    const live = Boolean(target.isTTY) && !dumb
    let bottom: Bottom | undefined
    /** Columns of the rows that are drawn above the one with the cursor. */
    let drawn: ReadonlyArray<number> | undefined
    /** Whether what was printed last ended its line. */
    let fresh = true

    /** What was printed while the screen is lent. */
    let held: string | undefined
    /** What the borrower of the whole screen shows. */
    let page: (() => ReadonlyArray<string>) | undefined

    const height = () => (target.isTTY && target.rows) || 24
    const width = () => (target.isTTY ? target.columns || 80 : unbounded)
    const draw = (): string => {
      if (bottom === undefined || !fresh || held !== undefined) return ""
      const line = typeof bottom === "function" ? bottom() : bottom
      const rows = [...(line.above ?? []), line.text].slice(1 - height()).map((row) => fit(row, width() - 1))
      const text = rows.join("\r\n")
      if (line.cursor !== undefined || line.tall === true) {
        const up = Math.min(line.up ?? 0, rows.length - 1)
        const column = Math.min(line.cursor ?? 0, width() - 1)
        drawn = rows.slice(0, rows.length - 1 - up).map(columns)
        return `${line.cursor === undefined ? hideCursor : showCursor}${text}\r${up === 0 ? "" : `\u001b[${up}A`}${column === 0 ? "" : `\u001b[${column}C`}`
      }
      // At the beginning of what a narrower screen may break into more rows, whichever way it does.
      drawn = []
      return `${hideCursor}${text}\r${rows.length === 1 ? "" : `\u001b[${rows.length - 1}A`}`
    }
    const erase = (): string => {
      if (drawn === undefined) return ""
      // A narrower screen has broken those rows.
      const above = drawn.reduce((sum, wide) => sum + Math.max(1, Math.ceil(wide / width())), 0)
      drawn = undefined
      return `\r${above === 0 ? "" : `\u001b[${above}A`}${eraseBelow}`
    }
    const paged = (): string =>
      page === undefined
        ? ""
        : `${home}${page()
            .map((row) => `${row}${eraseRest}`)
            .join("\r\n")}${eraseBelow}`
    if (live) {
      const redraw = () => {
        if (held !== undefined) return void target.write(paged())
        const before = erase()
        target.write(before + draw())
      }
      yield* Effect.acquireRelease(
        Effect.sync(() => target.on("resize", redraw)),
        () => Effect.sync(() => target.off("resize", redraw))
      )
    }
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        bottom = undefined
        return live ? write(target, `${erase()}${fresh ? "" : "\n"}${showCursor}`) : Effect.void
      })
    )

    return Screen.of({
      style,
      interactive: live && Boolean(stdin.isTTY) && !split && inForeground(),
      live,
      split,
      width,
      height,
      page: (use) =>
        Effect.acquireUseRelease(
          Effect.suspend(() => {
            const before = erase()
            held = ""
            return write(target, `${before}${otherScreen}${hideCursor}`)
          }),
          () =>
            use((rows) =>
              Effect.suspend(() => {
                page = rows
                return write(target, paged())
              })
            ),
          () =>
            Effect.suspend(() => {
              const after = held ?? ""
              held = undefined
              page = undefined
              if (after !== "") fresh = after.endsWith("\n")
              return write(target, `${mainScreen}${showCursor}${after}${draw()}`)
            })
        ),
      progress: (text) =>
        Effect.suspend(() => {
          if (held !== undefined) {
            held = (held + text).slice(-heldLimit)
            return Effect.void
          }
          const before = erase()
          fresh = text.endsWith("\n")
          return write(target, live ? `${before}${text}${draw()}` : text)
        }),
      answer: (text) => write(stdout, text),
      bell: Effect.suspend(() => (live ? write(target, "\u0007") : Effect.void)),
      bottom: (line) =>
        Effect.suspend(() => {
          if (!live) return Effect.void
          bottom = line
          const before = erase()
          const after = draw()
          return before + after === ""
            ? Effect.void
            : write(target, before + after + (line === undefined ? showCursor : ""))
        })
    })
  })
