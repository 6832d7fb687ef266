import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import { Composer, isAside } from "../Composer.ts"
import { TextEditor } from "../editor/TextEditor.ts"
import { Screen } from "../Screen.ts"
import { Lines, quoted } from "./Lines.ts"

/** Prompts that wait for the running task. */
const queued = 100

/** Prompts as the lines that the terminal hands over: no keys, nothing drawn, what is typed ahead is queued. */
export const layer: Layer.Layer<Composer, never, Lines | Screen> = Layer.scoped(
  Composer,
  Effect.gen(function* () {
    const lines = yield* Lines
    const screen = yield* Screen
    const interruptions = yield* Mailbox.make<void>({ capacity: 8, strategy: "dropping" })
    const asides = yield* Mailbox.make<string>({ capacity: 8, strategy: "dropping" })
    const interrupt = Effect.asVoid(interruptions.offer(undefined))
    let queue: ReadonlyArray<Option.Option<string>> = []
    let waiting: Deferred.Deferred<Option.Option<string>> | undefined
    let mark = ""
    const take = (line: Option.Option<string>): Effect.Effect<void> => {
      const asked = waiting
      if (asked === undefined) {
        if (Option.exists(line, isAside)) return Effect.asVoid(asides.offer(Option.getOrElse(line, () => "")))
        if (queue.length >= queued) return screen.progress("too many prompts are queued · this one was dropped\n")
        queue = [...queue, line]
        return Option.match(line, {
          onNone: () => Effect.void,
          onSome: (text) => (text.trim() === "" ? Effect.void : screen.progress(`queued: ${quoted(text)}\n`))
        })
      }
      waiting = undefined
      return Effect.asVoid(Deferred.succeed(asked, line))
    }
    yield* Effect.forkScoped(
      lines.focus((entry) => {
        switch (entry._tag) {
          case "Line":
            return take(Option.some(entry.text))
          case "Interrupt":
            return Effect.zipRight(
              Effect.zipRight(screen.progress("\n"), interrupt),
              Effect.suspend(() => (waiting === undefined ? Effect.void : screen.progress(mark)))
            )
          case "End":
            return Effect.zipRight(waiting === undefined ? Effect.void : screen.progress("\n"), take(Option.none()))
        }
      })(Effect.never)
    )
    return Composer.of({
      next: (asked) =>
        Effect.flatMap(Deferred.make<Option.Option<string>>(), (answer) =>
          Effect.acquireUseRelease(
            Effect.sync(() => {
              const [line, ...others] = queue
              queue = others
              mark = asked
              if (line === undefined) waiting = answer
              return line
            }),
            (line) =>
              line === undefined
                ? Effect.zipRight(screen.progress(asked), Deferred.await(answer))
                : Effect.as(screen.progress(`${asked}${Option.getOrElse(line, () => "")}\n`), line),
            () =>
              Effect.sync(() => {
                waiting = undefined
              })
          )
        ),
      asides: Mailbox.toStream(asides),
      interruptions: Mailbox.toStream(interruptions),
      interrupt,
      rest: Effect.void,
      bind: () => Effect.void,
      assist: () => Effect.void,
      searchWith: () => Effect.void,
      lend: (self) => screen.lend(self),
      editor: new TextEditor()
    })
  })
)
