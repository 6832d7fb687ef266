import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { makeVisible } from "../../../text/visible.ts"
import type { Display } from "../../../ui/Display.ts"
import { Ui } from "../../../ui/Ui.ts"
import { Composer } from "../Composer.ts"
import { header } from "../header.ts"
import { Interruptions } from "../Interruptions.ts"
import { wrap } from "../Layout.ts"
import { modeMark } from "../modeText.ts"
import { sandboxMark } from "../sandboxText.ts"
import { Screen } from "../Screen.ts"
import { offerText, toolRequest } from "../toolRequest.ts"
import { toolRows } from "../toolRows.ts"
import { Transcript, type Written } from "../transcript/Transcript.ts"
import { Lines } from "./Lines.ts"
import { plainApproval } from "./plainApproval.ts"
import { readLine } from "./readLine.ts"

/** The terminal as lines that only grow, and questions that a typed line answers: nothing moves, nothing is drawn anew. */
export const layer: Layer.Layer<Ui, never, Screen | Lines | Composer | Interruptions> = Layer.effect(
  Ui,
  Effect.gen(function* () {
    const screen = yield* Screen
    const lines = yield* Lines
    const composer = yield* Composer
    const interruptions = yield* Interruptions
    const { style, width } = screen
    const transcript = new Transcript({ style, width, split: screen.split, live: false })
    const write = (text: string) => (text === "" ? Effect.void : screen.progress(text))
    /** Shows lines on lines of their own, above what a person is typing. */
    const above = (shown: Effect.Effect<void>) =>
      Effect.suspend(() => write(lines.mark.leave())).pipe(
        Effect.zipRight(shown),
        Effect.zipRight(Effect.suspend(() => write(lines.mark.again())))
      )
    const print = (written: ReadonlyArray<Written>) =>
      written.length === 0
        ? Effect.void
        : above(
            Effect.forEach(written, ({ text, to }) => (to === "answer" ? screen.answer(text) : screen.progress(text)), {
              discard: true
            })
          )
    /** Lets nothing come between a question and its answer. */
    const asking = <A, E, R>(self: Effect.Effect<A, E, R>) =>
      Effect.acquireUseRelease(
        Effect.suspend(() => print(transcript.ask())),
        () => self,
        () => Effect.suspend(() => print(transcript.asked()))
      )
    /** What was typed last, which its terminal has shown. */
    let typed: string | undefined
    const isShown = (display: Display) => {
      const same = display._tag === "Prompt" && display.text === typed
      if (same) typed = undefined
      return same
    }
    const reader = { lines, screen, interrupt: () => interruptions.interrupt }
    return Ui.of({
      start: ({ id, mode, profile, sandbox }) =>
        screen.progress(
          header([profile, id], [modeMark(mode, style), sandboxMark(makeVisible(sandbox), style)], [], screen)
        ),
      stop: Effect.zipRight(
        composer.rest,
        Effect.suspend(() => print(transcript.end()))
      ),
      display: (display) => Effect.suspend(() => (isShown(display) ? Effect.void : print(transcript.render(display)))),
      diff: (diff) => Effect.suspend(() => print(transcript.diff(diff))),
      progress: () => Effect.void,
      workers: () => Effect.void,
      status: () => Effect.void,
      approve: (approval) =>
        asking(Effect.onInterrupt(plainApproval(approval, reader), () => screen.progress("\nthe request is over\n"))),
      input: (question) =>
        Effect.tap(composer.next(question), (line) => {
          typed = Option.getOrUndefined(line)?.trim()
        }),
      question: (question) =>
        asking(
          Effect.zipRight(
            screen.progress(
              wrap(makeVisible(question), width() - 1)
                .map((line) => `${line}\n`)
                .join("")
            ),
            readLine("answer: ", reader)
          )
        ),
      interruptions: interruptions.all,
      asides: composer.asides,
      showTools: (tools) => above(Effect.suspend(() => screen.progress(toolRows(tools, style, width())))),
      toolRequests: (offer) =>
        asking(
          Effect.zipRight(
            screen.progress(`${offerText(offer)}\n${toolRows(offer.tools, style, width())}`),
            toolRequest(offer, {
              ask: (question) => readLine(question, reader),
              say: (text) => screen.progress(`${makeVisible(text)}\n`)
            })
          )
        ),
      notify: () => Effect.void
    })
  })
)
