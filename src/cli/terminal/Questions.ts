import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import type { Interruptions } from "./Interruptions.ts"
import { isCtrl, isEscape, type Key } from "./Key.ts"
import type { Keyboard } from "./Keyboard.ts"
import { editorLine, TextEditor } from "./editor/TextEditor.ts"
import { untilQuiet } from "./quiet.ts"
import type { Region, Show } from "./Region.ts"
import type { Screen } from "./Screen.ts"

export interface QuestionsOptions {
  readonly screen: Screen["Type"]
  readonly region: Region["Type"]
  readonly keyboard: Keyboard["Type"]
  readonly interruptions: Interruptions["Type"]
  /** What a key does whatever is asked; unset for one that is typed. */
  readonly bound: (key: Key) => Effect.Effect<void> | undefined
  /** Takes what was being written where a question ended before it was answered. */
  readonly unfinished: (text: string) => Effect.Effect<void>
}

/** How long typing must pause before keys count again. */
const over = Duration.seconds(1)

/** Single questions in the place of the composer; what was typed there before stays there. */
export const make = ({ bound, interruptions, keyboard, region, screen, unfinished }: QuestionsOptions) => {
  const { height, style, width } = screen
  const { interrupt, isHeard } = interruptions

  const reading = (
    question: Effect.Effect<string>,
    show: Show,
    escape: "leaves" | "leaves at once" | "interrupts",
    redraws?: Schedule.Schedule<number>,
    above: () => ReadonlyArray<string> = () => [],
    before = ""
  ) =>
    Effect.gen(function* () {
      const editor = new TextEditor()
      editor.text = before
      const answer = yield* Deferred.make<Option.Option<string>>()
      const leave = Effect.asVoid(Deferred.succeed(answer, Option.none()))
      const draw = Effect.flatMap(question, (asked) =>
        show(() => {
          const line = editorLine(editor, asked, width(), Math.max(1, Math.min(8, Math.floor(height() / 3))), style)
          return { ...line, above: [...above(), ...(line.above ?? [])] }
        })
      )
      const onKey = (key: Key): Effect.Effect<void> => {
        const empty = editor.isEmpty
        if ((isCtrl(key, "d") && empty) || (isEscape(key) && escape === "leaves at once")) return leave
        if (isCtrl(key, "c") || isEscape(key)) {
          editor.discard()
          if (!empty) return draw
          return isEscape(key) && (escape === "leaves" || !isHeard()) ? leave : interrupt
        }
        const elsewhere = escape === "interrupts" ? bound(key) : undefined
        if (elsewhere !== undefined) return elsewhere
        const sent = editor.press(key)
        return sent === undefined ? draw : Effect.asVoid(Deferred.succeed(answer, Option.some(sent.text)))
      }
      yield* draw
      const drawing = redraws === undefined ? Effect.never : Effect.zipRight(Effect.repeat(draw, redraws), Effect.never)
      return yield* Effect.onInterrupt(keyboard.focus(onKey)(Effect.raceFirst(Deferred.await(answer), drawing)), () =>
        Effect.suspend(() =>
          editor.text.trim() === "" || editor.text === before ? Effect.void : unfinished(editor.text)
        )
      )
    })

  return {
    /** Reads a line; Escape interrupts the conversation that asks, and leaves it where there is none. */
    read: (question: string): Effect.Effect<Option.Option<string>> =>
      region.lend((show) => reading(Effect.succeed(question), show, "interrupts")),
    /** Reads a line below rows while the question counts the time down; Escape leaves it. */
    readInTime: (
      question: Effect.Effect<string>,
      above: () => ReadonlyArray<string>
    ): Effect.Effect<Option.Option<string>> =>
      region.lend((show) => reading(question, show, "leaves", Schedule.spaced("1 second"), above)),
    /** Lets a text be changed below rows; Escape leaves it as it was. */
    change: (
      question: string,
      before: string,
      above: () => ReadonlyArray<string>
    ): Effect.Effect<Option.Option<string>> =>
      region.lend((show) => reading(Effect.succeed(question), show, "leaves at once", undefined, above, before)),
    /** What is typed at a question that is over goes nowhere until the person stops; the keys that interrupt still do. */
    discard: (isKept: () => boolean) =>
      Effect.gen(function* () {
        const typed = yield* Queue.sliding<Key>(1)
        const onKey = (key: Key) =>
          isEscape(key) || isCtrl(key, "c") ? interrupt : Effect.asVoid(Queue.offer(typed, key))
        const text = () =>
          [
            "the request is over",
            ...(isKept() ? ["↑ recalls what you were writing"] : []),
            "pause for a second to type again"
          ].join(" · ")
        yield* region.lend((show) =>
          Effect.zipRight(
            show(() => ({ text: style.dim(text()) })),
            keyboard.focus(onKey)(untilQuiet(typed, over))
          )
        )
      })
  }
}
