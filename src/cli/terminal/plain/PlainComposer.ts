import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import { Composer, isAside } from "../Composer.ts"
import { TextEditor } from "../editor/TextEditor.ts"
import { Interruptions } from "../Interruptions.ts"
import { PromptQueue } from "../PromptQueue.ts"
import { Screen } from "../Screen.ts"
import { Lines, quoted } from "./Lines.ts"

/** Prompts as the lines that the terminal hands over: no keys, nothing drawn, what is typed ahead is queued. */
export const layer: Layer.Layer<Composer, never, Lines | Screen | Interruptions> = Layer.scoped(
  Composer,
  Effect.gen(function* () {
    const { focus, mark } = yield* Lines
    const screen = yield* Screen
    const { interrupt } = yield* Interruptions
    const asides = yield* Mailbox.make<string>({ capacity: 8, strategy: "dropping" })
    const queue = new PromptQueue()
    const take = (text: string): Effect.Effect<void> =>
      Effect.suspend(() => {
        mark.take()
        if (queue.give(Option.some(text))) return Effect.void
        if (isAside(text)) return Effect.asVoid(asides.offer(text))
        if (text.trim() === "") return Effect.void
        if (queue.isFull) return screen.progress("too many prompts are queued · this one was dropped\n")
        queue.push({ typed: text, text })
        return screen.progress(`queued: ${quoted(text)}\n`)
      })
    const end = Effect.suspend(() => {
      if (!queue.give(Option.none())) queue.end()
      return screen.progress(mark.close())
    })
    yield* Effect.forkScoped(
      focus((entry) => {
        switch (entry._tag) {
          case "Line":
            return take(entry.text)
          case "Interrupt":
            mark.leave()
            return Effect.zipRight(screen.progress("\n"), interrupt)
          case "End":
            return end
        }
      })(Effect.never)
    )
    return Composer.of({
      next: (asked) =>
        queue.next((line) =>
          screen.progress(line === undefined ? mark.show(asked) : `${asked}${Option.getOrElse(line, () => "")}\n`)
        ),
      asides: Mailbox.toStream(asides),
      rest: Effect.suspend(() => screen.progress(mark.close())),
      isResting: () => false,
      bind: () => Effect.void,
      boundAlways: () => undefined,
      assist: () => Effect.void,
      searchWith: () => Effect.void,
      lend: (self) => screen.lend(self),
      takeBackLetter: Effect.void,
      unsent: Effect.sync(() => queue.takeAll().map(({ text }) => text)),
      editor: new TextEditor()
    })
  })
)
