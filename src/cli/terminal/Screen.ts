import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Config from "effect/Config"
import * as Option from "effect/Option"
import { Configuration } from "../../config/Configuration.ts"
import { inForeground } from "../../system/foreground.ts"
import { monotonicMillis } from "../../system/monotonic.ts"
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
  /**
   * The rows stand there for long: the cursor stays in a row of its own below them. Where they break on a narrower screen every
   * terminal keeps it there; in or above a row that breaks, some move it.
   */
  readonly tall?: boolean
}

/** The bottom line, or how it looks by the time it is drawn, on a screen of that size. */
export type Bottom = BottomLine | (() => BottomLine | undefined)

/** Where text goes: a terminal with a few rows at its bottom that are drawn anew, or two plain streams. */
export class Screen extends Context.Tag("tollgate/cli/Screen")<
  Screen,
  {
    readonly style: Style
    /** A person is attached and can type. */
    readonly interactive: boolean
    /** It has a bottom line. */
    readonly live: boolean
    /** It gets whole lines and nothing else: it cannot move its cursor, or a screen reader reads it out. */
    readonly plain: boolean
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
    /** Gives the terminal to another program; what others print meanwhile follows then. */
    readonly lend: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Prints above the bottom; where there is one, up to 30 times a second what has come until then. */
    readonly progress: (text: string) => Effect.Effect<void>
    readonly answer: (text: string) => Effect.Effect<void>
    /** Empties the screen but for the bottom; what has scrolled away stays there. */
    readonly clear: Effect.Effect<void>
    /** Draws the bottom at once. */
    readonly bottom: (line: Bottom | undefined) => Effect.Effect<void>
    /** Draws it again with what is printed next, or soon. */
    readonly changed: Effect.Effect<void>
    /** Makes the terminal call for attention. */
    readonly bell: Effect.Effect<void>
  }
>() {
  /** `split` only where standard output is no terminal. What is called from another command prints where that says. */
  static readonly layer = (options: { readonly split: boolean }): Layer.Layer<Screen> =>
    Layer.unwrapEffect(
      Effect.map(
        Effect.serviceOption(Screen),
        Option.match({
          onNone: () => Layer.scoped(Screen, make(options)),
          onSome: (screen) => Layer.succeed(Screen, screen)
        })
      )
    )
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
/** What stands between them is shown at once. */
const beginUpdate = "\u001b[?2026h"
const endUpdate = "\u001b[?2026l"

/** Milliseconds between two drawings of what nobody typed. */
const frameMillis = 1000 / 30
/** Characters that wait for the next one; more are printed at once. */
const pendingLimit = 64 * 1024

/** Characters that are kept while the screen is lent; the oldest give way. */
const heldLimit = 1024 * 1024

/** Waits until the text is written; does not wait for a reader that has gone. */
const write = (stream: NodeJS.WriteStream, text: string): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    stream.write(text, () => resume(Effect.void))
  })

/** Whether the terminal gets lines alone: it cannot do more, or the user wants no more. */
const isPlain: Effect.Effect<boolean> = Effect.gen(function* () {
  if (Option.contains(yield* Effect.option(Config.string("TERM")), "dumb")) return true
  const configuration = yield* Effect.serviceOption(Configuration)
  if (Option.isSome(configuration)) return configuration.value.settings.screenReader === true
  return Option.contains(yield* Effect.option(Config.string("TOLLGATE_SCREEN_READER")), "true")
})

const make = (options: { readonly split: boolean }) =>
  Effect.gen(function* () {
    const { stderr, stdin, stdout } = process
    const split = options.split && !stdout.isTTY
    const target = split ? stderr : stdout
    const wanted = yield* isPlain
    // Unset, not false, without a terminal.
    const plain = Boolean(target.isTTY) && wanted
    const live = Boolean(target.isTTY) && !wanted
    const style = yield* styleFor(live)
    const scope = yield* Effect.scope
    let bottom: Bottom | undefined
    /** Columns of the rows that are drawn above the one with the cursor. */
    let drawn: ReadonlyArray<number> | undefined
    /** Whether what was printed last ended its line. */
    let fresh = true

    /** What is to be printed with the next drawing. */
    let pending = ""
    /** When it was drawn last. */
    let drawnAt = -Infinity
    /** The next drawing is on its way. */
    let coming = false
    /** What stands at the bottom, as it was written. */
    let shown = ""

    /** The whole screen is somebody else's. */
    let lent = false
    /** Another program has the terminal. */
    let away = false
    /** What the borrower of the whole screen shows. */
    let page: (() => ReadonlyArray<string>) | undefined

    const height = () => (target.isTTY && target.rows) || 24
    const width = () => (target.isTTY ? target.columns || 80 : unbounded)
    const draw = (): string => {
      if (bottom === undefined || !fresh) return ""
      const line = typeof bottom === "function" ? bottom() : bottom
      if (line === undefined) return ""
      const rows = [...(line.above ?? []), line.text].slice(1 - height()).map((row) => fit(row, width() - 1))
      const text = rows.join("\r\n")
      if (line.cursor !== undefined) {
        const up = Math.min(line.up ?? 0, rows.length - 1)
        const column = Math.min(line.cursor, width() - 1)
        drawn = rows.slice(0, rows.length - 1 - up).map(columns)
        return `${showCursor}${text}\r${up === 0 ? "" : `\u001b[${up}A`}${column === 0 ? "" : `\u001b[${column}C`}`
      }
      if (line.tall === true) {
        drawn = rows.map(columns)
        return `${hideCursor}${text}\r\n`
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
      // Behind its first cell: what is erased from the first cell of the screen on, tmux keeps among what has scrolled away.
      return `\r${above === 0 ? "" : `\u001b[${above}A`}${eraseRest}\u001b[C${eraseBelow}\r`
    }
    const paged = (): string =>
      page === undefined
        ? ""
        : `${home}${page()
            .map((row) => `${row}${eraseRest}`)
            .join("\r\n")}${eraseBelow}`
    /** Prints what is pending, and draws the bottom anew where it has changed. */
    const drawNow = Effect.uninterruptible(
      Effect.flatMap(monotonicMillis, (now) => {
        if (lent || !live) return Effect.void
        drawnAt = now
        const text = pending
        pending = ""
        const standing = drawn
        const before = erase()
        if (text !== "") fresh = text.endsWith("\n")
        const after = draw()
        if (text === "" && after === shown && (after === "" || standing !== undefined)) return Effect.void
        shown = after
        // Nothing at the bottom hides the cursor any more.
        return write(target, `${beginUpdate}${before}${text}${after === "" ? showCursor : after}${endUpdate}`)
      })
    )
    const drawSoon = Effect.flatMap(monotonicMillis, (now) => {
      if (lent || !live) return Effect.void
      const left = drawnAt + frameMillis - now
      if (left <= 0 || pending.length > pendingLimit) return drawNow
      if (coming) return Effect.void
      coming = true
      const next = Effect.suspend(() => {
        coming = false
        return drawNow
      })
      return Effect.asVoid(Effect.forkIn(Effect.delay(next, left), scope))
    })
    if (live) {
      const redraw = () => {
        if (away) return
        if (lent) return void target.write(paged())
        const before = erase()
        shown = draw()
        target.write(`${beginUpdate}${before}${shown}${endUpdate}`)
      }
      /** After a stop a shell has written where the bottom was. */
      const onContinue = () => {
        drawn = undefined
        redraw()
      }
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          target.on("resize", redraw)
          process.on("SIGCONT", onContinue)
        }),
        () =>
          Effect.sync(() => {
            target.off("resize", redraw)
            process.off("SIGCONT", onContinue)
          })
      )
    }
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        bottom = undefined
        return live ? Effect.zipRight(drawNow, write(target, `${fresh ? "" : "\n"}${showCursor}`)) : Effect.void
      })
    )
    /** Lends the screen, which is made ready for the borrower and taken back by what is written. */
    const lend = <A, E, R>(begin: string, self: Effect.Effect<A, E, R>, end: string) =>
      !live
        ? self
        : Effect.acquireUseRelease(
            Effect.suspend(() => {
              lent = true
              const before = erase()
              return write(target, `${before}${begin}`)
            }),
            () => self,
            () =>
              Effect.suspend(() => {
                lent = false
                page = undefined
                shown = ""
                return Effect.zipRight(write(target, `${end}${showCursor}`), drawNow)
              })
          )

    /** Gives the terminal away, also while its whole screen is lent. */
    const giveAway = <A, E, R>(self: Effect.Effect<A, E, R>) =>
      Effect.acquireUseRelease(
        Effect.suspend(() => {
          away = true
          return page === undefined ? Effect.void : write(target, `${mainScreen}${showCursor}`)
        }),
        () => self,
        () =>
          Effect.suspend(() => {
            away = false
            return page === undefined ? Effect.void : write(target, `${otherScreen}${hideCursor}${paged()}`)
          })
      )

    return Screen.of({
      style,
      interactive: (live || plain) && Boolean(stdin.isTTY) && !split && inForeground(),
      live,
      plain,
      split,
      width,
      height,
      page: (use) =>
        lend(
          `${otherScreen}${hideCursor}`,
          use((rows) =>
            Effect.suspend(() => {
              page = rows
              return write(target, paged())
            })
          ),
          mainScreen
        ),
      lend: (self) => (page !== undefined ? giveAway(self) : lend("", giveAway(self), "")),
      progress: (text) =>
        Effect.suspend(() => {
          if (!live) return write(target, text)
          pending = lent ? (pending + text).slice(-heldLimit) : pending + text
          return drawSoon
        }),
      answer: (text) => Effect.zipRight(drawNow, write(stdout, text)),
      bell: Effect.suspend(() => (live ? write(target, "\u0007") : Effect.void)),
      clear: Effect.suspend(() => {
        if (!live || lent) return Effect.void
        drawn = undefined
        shown = ""
        return Effect.zipRight(write(target, `${home}${eraseBelow}`), drawNow)
      }),
      changed: drawSoon,
      bottom: (line) =>
        Effect.suspend(() => {
          bottom = line
          return drawNow
        })
    })
  })
