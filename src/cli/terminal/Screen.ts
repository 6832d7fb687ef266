import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { inForeground } from "../../system/foreground.ts"
import { listening } from "../../system/listening.ts"
import { monotonicMillis } from "../../system/monotonic.ts"
import { type Bottom, type Drawing, drawingOf, erasureOf, pageOf, reflowOf } from "./Drawing.ts"
import {
  beginUpdate,
  endUpdate,
  eraseBelow,
  hideCursor,
  home,
  mainScreen,
  otherScreen,
  showCursor
} from "./terminalCodes.ts"
import { isPlain } from "./isPlain.ts"
import { type Style, styleFor } from "./Style.ts"

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
/** How long a size must last before anything is drawn for it: what is on its way while the next one comes lands anywhere. */
const sizeTime = Duration.millis(40)
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
    const reflow = yield* reflowOf
    let bottom: Bottom | undefined
    /** What is drawn at the bottom. */
    let drawn: Drawing | undefined
    /** The size changes, and nothing is drawn until it has lasted. */
    let resizing = false
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
      drawn = drawingOf(line, { width: width(), height: height() }, reflow)
      return drawn.text
    }
    const erase = (): string => {
      if (drawn === undefined) return ""
      const text = erasureOf(drawn, width(), reflow)
      drawn = undefined
      return text
    }
    const paged = (): string => (page === undefined ? "" : pageOf(page()))
    /** Learns of a change of size that the signal has not told of yet: Node asks the terminal at the signal alone. */
    const measure = () => (target as { readonly _refreshSize?: () => void })._refreshSize?.()
    /** Prints what is pending, and draws the bottom anew where it has changed. */
    const drawNow = Effect.uninterruptible(
      Effect.flatMap(monotonicMillis, (now) => {
        if (lent || !live) return Effect.void
        measure()
        if (resizing) return Effect.void
        const text = pending
        const standing = drawn
        const begun = fresh
        const before = erase()
        if (text !== "") fresh = text.endsWith("\n")
        const after = draw()
        measure()
        if (resizing) {
          // Made for a size that has gone meanwhile.
          drawn = standing
          fresh = begun
          return Effect.void
        }
        drawnAt = now
        pending = ""
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
    // Before what follows a change of size, which has ended by then: what is printed last is not kept for another size.
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        bottom = undefined
        resizing = false
        return live ? Effect.zipRight(drawNow, write(target, `${fresh ? "" : "\n"}${showCursor}`)) : Effect.void
      })
    )
    if (live) {
      const redraw = Effect.suspend(() => {
        resizing = false
        shown = ""
        return drawNow
      })
      const lasting = yield* FiberHandle.make<void>()
      const whenItLasts = yield* FiberHandle.runtime(lasting)<never>()
      const again = (then: Effect.Effect<void>) => {
        if (away) return
        if (lent) return void target.write(paged())
        resizing = true
        whenItLasts(then)
      }
      const onResize = () => again(Effect.delay(redraw, sizeTime))
      /** After a stop a shell has written where the bottom was. */
      const onContinue = () => {
        drawn = undefined
        again(redraw)
      }
      yield* listening(target, "resize", onResize)
      yield* listening(process, "SIGCONT", onContinue)
    }
    /** Lends the screen, which is made ready for the borrower and taken back by what is written. */
    const lend = <A, E, R>(begin: string, self: Effect.Effect<A, E, R>, end: string) =>
      !live
        ? self
        : Effect.acquireUseRelease(
            Effect.suspend(() => {
              lent = true
              const before = erase()
              return write(target, `${before}${showCursor}${begin}`)
            }),
            () => self,
            () =>
              Effect.suspend(() => {
                lent = false
                resizing = false
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
