import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import { makeVisible } from "../../text/visible.ts"
import type { Answer, Approval, CallShown } from "../../ui/Display.ts"
import { Ui } from "../../ui/Ui.ts"
import { duration } from "../../text/duration.ts"
import { many } from "../../ui/Words.ts"
import { approvalPrompt } from "./approvalPrompt.ts"
import { isCtrl, isEscape, Keyboard, type Key } from "./Keyboard.ts"
import { columns, wrap } from "./Layout.ts"
import { LineEditor } from "./LineEditor.ts"
import { header } from "./header.ts"
import { modeMark } from "./modeText.ts"
import { untilQuiet } from "./quiet.ts"
import { sandboxMark } from "./sandboxText.ts"
import { type Bottom, type BottomLine, Screen } from "./Screen.ts"
import { Transcript, type Written } from "./transcript/Transcript.ts"

interface Holder {
  line: Bottom | undefined
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
const frameTime = Duration.millis(120)

/** Rows of prompts that wait for their turn. */
const queuedRows = 3

/** Rows of what is being typed, which a low screen shows fewer of. */
const editorRows = 8

/** What was typed ahead while a task ran; a person who types more has stopped reading. */
const aheadLimit = 32

/** How long typing must pause before keys count for the new question. */
const over = Duration.seconds(1)

/** What Escape does where nothing is typed. */
type OnEscape = "stays" | "leaves" | "interrupts"

const isAside = (line: string) => /^\s*\/(?!\/)/.test(line)

/** The terminal as a frontend: text that only grows, and a line at the bottom that says what is going on. */
export const layer: Layer.Layer<Ui, never, Screen | Keyboard> = Layer.scoped(
  Ui,
  Effect.gen(function* () {
    const screen = yield* Screen
    const keyboard = yield* Keyboard
    const scope = yield* Effect.scope
    const { style } = screen
    const transcript = new Transcript({ style, width: screen.width, split: screen.split, live: screen.live })
    const interruptions = yield* Mailbox.make<void>({ capacity: 8, strategy: "dropping" })
    const asides = yield* Mailbox.make<string>({ capacity: 8, strategy: "dropping" })
    const editor = new LineEditor()
    /** Held while what is typed goes nowhere. */
    const deaf = yield* Effect.makeSemaphore(1)
    const ahead: Array<Option.Option<string>> = []
    let status: { readonly text: string; readonly since: number } | undefined
    /** Who has the bottom line; the last one has it now. */
    let holders: ReadonlyArray<Holder> = []
    let frame = 0

    /** What is going on, and what was typed ahead. */
    const going = Effect.map(Clock.currentTimeMillis, (now): BottomLine | undefined => {
      const queued = ahead.flatMap((line) => Option.toArray(line))
      const rows = [
        ...transcript.live(),
        ...(status === undefined
          ? []
          : [`${style.cyan(frames[frame % frames.length] ?? "")} ${style.dim(stated(now))}`]),
        ...queued.slice(0, queuedRows).map((line) => style.dim(`  queued: ${makeVisible(line).replaceAll("\n", "⏎")}`)),
        ...(queued.length > queuedRows ? [style.dim(`  … ${queued.length - queuedRows} more queued`)] : []),
        ...(editor.text === "" ? [] : [`› ${editor.view(Math.max(8, screen.width() - 4)).text}`])
      ]
      const text = rows.pop()
      return text === undefined ? undefined : { above: rows, text }
    })
    const stated = (now: number): string => {
      const since = duration(Math.floor((now - (status?.since ?? now)) / 100) * 100)
      return `${status?.text} · ${since}${screen.interactive ? " · esc stops" : ""}`
    }
    const draw = Effect.suspend(() => (holders.length > 0 ? Effect.void : Effect.flatMap(going, screen.bottom)))
    const put = (written: ReadonlyArray<Written>) =>
      written.length === 0
        ? Effect.void
        : Effect.zipRight(
            draw,
            Effect.forEach(written, ({ text, to }) => (to === "answer" ? screen.answer(text) : screen.progress(text)), {
              discard: true
            })
          )
    if (screen.live) {
      const tick = Effect.suspend(() => {
        frame++
        return status === undefined && transcript.live().length === 0 ? Effect.void : draw
      })
      yield* Effect.forkScoped(Effect.repeat(tick, Schedule.spaced(frameTime)))
    }

    /** While a task runs, Escape and Ctrl-C stop it; prompts, and the end of them, are kept for later. */
    const watching = (key: Key): Effect.Effect<void> => {
      if (isEscape(key) || isCtrl(key, "c")) return Effect.asVoid(interruptions.offer(undefined))
      const over = isCtrl(key, "d") && editor.text === ""
      const line = Option.filter(Option.fromNullable(editor.press(key)), (text) => text.trim() !== "")
      if (Option.isSome(line) && isAside(line.value)) return Effect.zipRight(asides.offer(line.value), draw)
      if (over || Option.isSome(line)) {
        if (ahead.length < aheadLimit) ahead.push(line)
        else editor.text = Option.getOrElse(line, () => "")
      }
      return draw
    }
    yield* Effect.forkScoped(keyboard.focus(watching)(Effect.never))

    /** Lends the bottom line; a later borrower has it until it is done. */
    const withBottom = <A, E, R>(use: (bottom: Screen["Type"]["bottom"]) => Effect.Effect<A, E, R>) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          const holder: Holder = { line: undefined }
          holders = [...holders, holder]
          return holder
        }),
        (holder) =>
          use((line) =>
            Effect.suspend(() => {
              holder.line = line
              return holders.at(-1) === holder ? screen.bottom(line) : Effect.void
            })
          ),
        (holder) =>
          Effect.suspend(() => {
            holders = holders.filter((other) => other !== holder)
            const below = holders.at(-1)
            return below === undefined ? Effect.zipRight(screen.bottom(undefined), draw) : screen.bottom(below.line)
          })
      )

    /** Reads a line at the bottom of the screen. */
    const read = (
      question: string,
      into: LineEditor,
      escape: OnEscape = "stays"
    ): Effect.Effect<Option.Option<string>> =>
      withBottom((bottom) => reading(Effect.succeed(question), into, bottom, escape))
    /** Reads a line while the question counts the time down; Escape leaves it. */
    const readInTime = (
      question: Effect.Effect<string>,
      above: () => ReadonlyArray<string>
    ): Effect.Effect<Option.Option<string>> =>
      withBottom((bottom) => reading(question, new LineEditor(), bottom, "leaves", Schedule.spaced("1 second"), above))
    const reading = (
      question: Effect.Effect<string>,
      into: LineEditor,
      bottom: Screen["Type"]["bottom"],
      escape: OnEscape,
      redraws?: Schedule.Schedule<number>,
      top: () => ReadonlyArray<string> = () => []
    ) =>
      Effect.gen(function* () {
        const answer = yield* Deferred.make<Option.Option<string>>()
        const leave = Effect.asVoid(Deferred.succeed(answer, Option.none()))
        const interrupted = Effect.asVoid(interruptions.offer(undefined))
        const escapes = { stays: Effect.void, leaves: leave, interrupts: interrupted }
        const show = Effect.flatMap(question, (asked) => {
          const before = columns(asked)
          return bottom(() => {
            const most = Math.max(1, Math.min(editorRows, Math.floor(screen.height() / 3)))
            const { before: hidden, column, row, rows } = into.rows(Math.max(8, screen.width() - before - 2), most)
            const above = hidden === 0 ? [] : [style.dim(`… ${many(hidden, "character")} above`)]
            const drawn = rows.map((text, index) => `${index === 0 ? asked : " ".repeat(before)}${text}`)
            return {
              above: [...top(), ...above, ...drawn.slice(0, -1)],
              text: drawn.at(-1) ?? asked,
              cursor: before + column,
              up: rows.length - 1 - row
            }
          })
        })
        const onKey = (key: Key): Effect.Effect<void> => {
          const empty = into.text === ""
          if (isCtrl(key, "d") && empty) return leave
          if (isCtrl(key, "c") || isEscape(key)) {
            into.discard()
            if (!empty) return show
            return isEscape(key) ? escapes[escape] : interrupted
          }
          const line = into.press(key)
          return line === undefined ? show : Effect.asVoid(Deferred.succeed(answer, Option.some(line)))
        }
        yield* show
        const drawing =
          redraws === undefined ? Effect.never : Effect.zipRight(Effect.repeat(show, redraws), Effect.never)
        return yield* keyboard.focus(onKey)(Effect.raceFirst(Deferred.await(answer), drawing))
      })

    /** What is typed at a question that is over goes nowhere until the person stops; the keys that interrupt still do. */
    const discard = Effect.gen(function* () {
      const typed = yield* Queue.sliding<Key>(1)
      const onKey = (key: Key) =>
        Effect.asVoid(isEscape(key) || isCtrl(key, "c") ? interruptions.offer(undefined) : Queue.offer(typed, key))
      yield* withBottom((bottom) =>
        Effect.zipRight(
          bottom({ text: style.dim("the request is over · pause for a second to type again") }),
          keyboard.focus(onKey)(untilQuiet(typed, over))
        )
      )
    }).pipe(deaf.withPermits(1))
    /** Lets nothing come between a question and its answer. */
    const asking = <A, E, R>(self: Effect.Effect<A, E, R>, call?: CallShown) =>
      Effect.acquireUseRelease(
        Effect.suspend(() => put(transcript.ask(call))),
        () => self,
        () => Effect.suspend(() => put(transcript.asked()))
      )
    const approve = (approval: Approval) =>
      Effect.suspend(() => {
        let left = false
        const interrupt = Effect.suspend(() => {
          left = true
          return Effect.asVoid(interruptions.offer(undefined))
        })
        return asking(
          withBottom((bottom) =>
            approvalPrompt(approval, {
              screen: { ...screen, bottom },
              keyboard,
              print: (lines) => Effect.suspend(() => put(transcript.under(approval.call, lines))),
              ask: readInTime,
              interrupt
            })
          ),
          approval.call
        ).pipe(
          Effect.onInterrupt(() =>
            left ? Effect.void : Effect.asVoid(Effect.forkIn(Effect.interruptible(discard), scope))
          )
        )
      })

    return Ui.of({
      start: ({ id, mode, profile, sandbox }) => {
        const marks = [modeMark(mode, style), sandboxMark(makeVisible(sandbox), style)]
        return put([{ to: "progress", text: header([profile, id], marks, [], screen) }])
      },
      stop: Effect.suspend(() => {
        status = undefined
        return Effect.zipRight(put(transcript.end()), draw)
      }),
      display: (display) => Effect.suspend(() => put(transcript.render(display))),
      diff: (diff) => Effect.suspend(() => put(transcript.diff(diff))),
      progress: ({ call, current, label, total }) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const far = current === undefined ? "" : total === undefined ? ` ${current}` : ` ${current}/${total}`
          const text = `${makeVisible(`${call.tool}${label === undefined ? "" : `: ${label}`}`)}${far}`
          status = { text, since: status?.since ?? now }
          return draw
        }),
      status: (text) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          if (text !== undefined && status?.text === text) return Effect.void
          status = text === undefined ? undefined : { text: makeVisible(text), since: now }
          return draw
        }),
      approve: (approval) =>
        screen.interactive
          ? approve(approval)
          : Effect.succeed<Answer>({ decision: "deny", reason: "no one is attached to answer", frontend: "terminal" }),
      input: (question) =>
        Effect.suspend(() => {
          const line = ahead.shift()
          return line !== undefined
            ? Effect.succeed(line)
            : Effect.zipRight(deaf.withPermits(1)(Effect.void), read(question, editor))
        }),
      question: (question) =>
        asking(
          Effect.gen(function* () {
            const lines = wrap(makeVisible(question), screen.width() - 4)
            const text = lines.map((line, index) => `${index === 0 ? style.cyan("? ") : "  "}${line}\n`).join("")
            yield* put([{ to: "progress", text }])
            return screen.interactive
              ? yield* read(`${style.cyan("answer")} `, new LineEditor(), "interrupts")
              : Option.none()
          })
        ),
      interruptions: Mailbox.toStream(interruptions),
      asides: Mailbox.toStream(asides),
      notify: () => (screen.interactive ? screen.bell : Effect.void)
    })
  })
)
