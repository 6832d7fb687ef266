import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as FiberHandle from "effect/FiberHandle"
import { type Agree, agreement } from "./agreement.ts"
import { editorLine, TextEditor } from "./editor/TextEditor.ts"
import { Interruptions } from "./Interruptions.ts"
import { isCtrl, isEscape, type Key } from "./Key.ts"
import { Keyboard } from "./Keyboard.ts"
import { fit } from "./Layout.ts"
import { isQuiet, untilQuiet } from "./quiet.ts"
import { Region, type Show } from "./Region.ts"
import { Screen } from "./Screen.ts"

/** Something to pick, as one row. */
export interface Item<A> {
  readonly value: A
  readonly row: string
}

export interface Pick<A> {
  readonly question: string
  readonly items: ReadonlyArray<Item<A>>
  /** The items for what is typed, the best first; if unset, nothing is typed. */
  readonly filter?: (typed: string) => ReadonlyArray<Item<A>>
  /** Where nothing is typed: `n` leaves as well. */
  readonly declines?: boolean
}

export interface Ask {
  readonly question: string
  /** What stands there already. */
  readonly before?: string
}

/** Asks a person for a choice or a line; none where they leave by Escape or Ctrl-D, and by Ctrl-C where a conversation is behind the question. */
export class Form extends Context.Tag("tollgate/cli/Form")<
  Form,
  {
    readonly pick: <A>(pick: Pick<A>) => Effect.Effect<Option.Option<A>>
    readonly line: (ask: Ask) => Effect.Effect<Option.Option<string>>
    /** Whether the person says yes, by a `y` that stands alone; Enter and leaving say no, and a word says neither. */
    readonly agree: (agree: Agree) => Effect.Effect<boolean>
    /** Waits for one of these keys; in a terminal that gets lines, `said` asks for it. */
    readonly press: (keys: ReadonlyArray<string>, said: () => string) => Effect.Effect<Option.Option<string>>
    /** Several questions and what is done between them, where typing goes nowhere: none where the person leaves meanwhile. */
    readonly whole: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<Option.Option<A>, E, R>
  }
>() {
  static readonly layer: Layer.Layer<Form, never, Screen | Region | Keyboard | Interruptions> = Layer.effect(
    Form,
    Effect.gen(function* () {
      const screen = yield* Screen
      const region = yield* Region
      const keyboard = yield* Keyboard
      const { interrupt, isHeard } = yield* Interruptions
      const { style, width } = screen
      const interrupted = (leave: Effect.Effect<void>) => (isHeard() ? leave : interrupt)
      const hint = (text: string) => style.dim(text)

      const read =
        <A>(
          editor: TextEditor,
          draw: (show: Show) => Effect.Effect<void>,
          onKey: (key: Key, done: (value: A) => Effect.Effect<void>, leave: Effect.Effect<void>) => Effect.Effect<void>
        ) =>
        (show: Show): Effect.Effect<Option.Option<A>> =>
          Effect.gen(function* () {
            const answer = yield* Deferred.make<Option.Option<A>>()
            const leave = Effect.asVoid(Deferred.succeed(answer, Option.none()))
            const done = (value: A) => Effect.asVoid(Deferred.succeed(answer, Option.some(value)))
            yield* draw(show)
            return yield* Deferred.await(answer).pipe(
              keyboard.focus((key) =>
                isCtrl(key, "c")
                  ? interrupted(leave)
                  : isEscape(key) || (isCtrl(key, "d") && editor.isEmpty)
                    ? leave
                    : Effect.zipRight(onKey(key, done, leave), draw(show))
              )
            )
          })

      return Form.of({
        agree: agreement({ interrupted, keyboard, region, screen }),
        press: (keys) =>
          Effect.gen(function* () {
            const pressed = yield* Queue.sliding<Key>(keyLimit)
            /** An answer, or none where the person leaves; nothing for a key that says neither. */
            const turn = Effect.gen(function* (): Effect.fn.Return<Option.Option<string> | undefined> {
              const key = yield* Queue.take(pressed)
              if (isEscape(key) || isCtrl(key, "c") || isCtrl(key, "d")) return Option.none()
              const found = Option.filter(key.input, (input) => keys.includes(input))
              // A letter of a word is no answer.
              if (Option.isSome(found) && (yield* isQuiet(pressed, alone))) return found
              return void (yield* untilQuiet(pressed, alone))
            })
            const said = Effect.repeat(turn, { until: (given) => given !== undefined })
            return yield* keyboard.focus((key) => Effect.asVoid(Queue.offer(pressed, key)))(said)
          }),
        whole: (self) =>
          Effect.flatMap(Deferred.make<void>(), (left) =>
            Effect.raceFirst(Effect.asSome(self), Effect.as(Deferred.await(left), Option.none())).pipe(
              keyboard.focus((key) => {
                const leave = Effect.asVoid(Deferred.succeed(left, undefined))
                if (isCtrl(key, "c")) return interrupted(leave)
                return isEscape(key) || isCtrl(key, "d") ? leave : Effect.void
              })
            )
          ),
        line: ({ before = "", question }) =>
          region.lend((show) => {
            const editor = new TextEditor()
            editor.text = before
            const draw = (shown: Show) =>
              shown(() =>
                editorLine(editor, `${style.cyan(question)} `, width(), Math.max(1, screen.height() - 4), style)
              )
            return read<string>(editor, draw, (key, done) => {
              const sent = editor.press(key)
              return sent === undefined ? Effect.void : done(sent.text)
            })(show)
          }),
        pick: <A>({ declines = false, filter, items, question }: Pick<A>) =>
          Effect.flatMap(FiberHandle.make<void>(), (leaving) =>
            region.lend((show) => {
              /** Letters were typed where none are asked for: the Enter behind them ends them, and chooses nothing. */
              let typed = false
              const editor = new TextEditor()
              let found = items
              let selected = 0
              const draw = (shown: Show) =>
                shown(() => {
                  const room = Math.max(1, Math.min(most, region.height() - 5))
                  const first = Math.max(0, Math.min(selected - room + 1, found.length - room))
                  const rows = found.slice(first, first + room).map(({ row }, index) => {
                    const isSelected = first + index === selected
                    return fit(
                      `${isSelected ? style.cyan("❯") : " "} ${isSelected ? style.bold(row) : row}`,
                      width() - 1
                    )
                  })
                  const hidden = found.length - rows.length
                  const keys = hint(
                    `↑↓ enter${filter === undefined ? "" : " · type to filter"} · ${declines ? "n or esc" : "esc"} leaves`
                  )
                  const above = [
                    ...(question === "" ? [] : [style.bold(fit(question, width() - 1))]),
                    ...(rows.length === 0 ? [hint("  nothing matches")] : rows),
                    ...(hidden > 0 ? [hint(`  … ${hidden} more`)] : [])
                  ]
                  if (filter === undefined) return { above, text: keys, tall: true }
                  return editor.isEmpty
                    ? { above, text: `› ${keys}`, cursor: 2 }
                    : { ...editorLine(editor, "› ", width(), 1, style), above }
                })
              return read<A>(editor, draw, (key, done, leave) => {
                const { name } = key.key
                const { length } = found
                const isReturn = name === "return" || name === "enter"
                if (filter === undefined) {
                  const again = typed
                  const ends = again && isReturn
                  typed = !isReturn && Option.exists(key.input, (input) => input >= " ")
                  if (ends) return FiberHandle.clear(leaving)
                  // A letter of a word is no answer.
                  const isNo = declines && !again && Option.contains(key.input, "n")
                  if (isNo) return Effect.asVoid(FiberHandle.run(leaving, Effect.delay(leave, alone)))
                  if (typed) return FiberHandle.clear(leaving)
                }
                if (name === "up" || isCtrl(key, "p")) selected = length === 0 ? 0 : (selected - 1 + length) % length
                else if (name === "down" || isCtrl(key, "n")) selected = length === 0 ? 0 : (selected + 1) % length
                else if (name === "return" || name === "enter") {
                  const chosen = found[selected]
                  return chosen === undefined ? Effect.void : done(chosen.value)
                } else if (
                  filter !== undefined &&
                  !(name === "paste" && /\n/.test(Option.getOrElse(key.input, () => "")))
                ) {
                  const before = editor.text
                  editor.press(key)
                  if (editor.text !== before) {
                    found = editor.text.trim() === "" ? items : filter(editor.text.trim())
                    selected = 0
                  }
                }
                return Effect.void
              })(show)
            })
          ).pipe(Effect.scoped)
      })
    })
  )
}

/** Rows of a list. */
const most = 15

/** How long no other key may come before and after one that counts by itself, and keys that wait meanwhile. */
const alone = "250 millis"
const keyLimit = 16
