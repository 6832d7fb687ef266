import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import { makeVisible } from "../../text/visible.ts"
import { isCtrl, isEscape, Keyboard, type Key } from "./Keyboard.ts"
import { editorLine, LineEditor } from "./LineEditor.ts"
import { Region } from "./Region.ts"
import { type BottomLine, Screen } from "./Screen.ts"

/** Rows of prompts that wait for their turn. */
const queuedRows = 3

/** What is queued while a task runs; a person who types more has stopped reading. */
const queueLimit = 32

const isAside = (line: string) => /^\s*\/(?!\/)/.test(line)

/** Where a person types prompts, at any time: while a task runs they are queued. */
export class Composer extends Context.Tag("tollgate/cli/Composer")<
  Composer,
  {
    /** The next prompt, a queued one first; none once the person has no more to say. */
    readonly next: (mark: string) => Effect.Effect<Option.Option<string>>
    /** Slash commands typed while no prompt was waited for. */
    readonly asides: Stream.Stream<string>
    /** One element each time everything in flight is to stop. */
    readonly interruptions: Stream.Stream<void>
    readonly interrupt: Effect.Effect<void>
  }
>() {
  static readonly layer: Layer.Layer<Composer, never, Region | Screen | Keyboard> = Layer.scoped(
    Composer,
    Effect.gen(function* () {
      const region = yield* Region
      const { style, width } = yield* Screen
      const keyboard = yield* Keyboard
      const interruptions = yield* Mailbox.make<void>({ capacity: 8, strategy: "dropping" })
      const asides = yield* Mailbox.make<string>({ capacity: 8, strategy: "dropping" })
      const interrupt = Effect.asVoid(interruptions.offer(undefined))
      const editor = new LineEditor()
      const queue: Array<Option.Option<string>> = []
      let mark = "› "
      let waiting: Deferred.Deferred<Option.Option<string>> | undefined

      const queued = (): ReadonlyArray<string> => {
        const lines = queue.flatMap((line) => Option.toArray(line))
        return [
          ...lines
            .slice(0, queuedRows)
            .map((line) => style.dim(`  queued: ${makeVisible(line).replaceAll("\n", "⏎")}`)),
          ...(lines.length > queuedRows ? [style.dim(`  … ${lines.length - queuedRows} more queued`)] : [])
        ]
      }
      yield* region.place({
        composer: (most): BottomLine | undefined => {
          const above = queued()
          if (waiting === undefined && editor.text === "") {
            const text = above.at(-1)
            return text === undefined ? undefined : { above: above.slice(0, -1), text }
          }
          const line = editorLine(editor, mark, width(), Math.max(1, most - above.length), style)
          return { ...line, above: [...above, ...(line.above ?? [])] }
        }
      })

      const submit = (line: Option.Option<string>): Effect.Effect<void> =>
        Effect.suspend(() => {
          const asked = waiting
          waiting = undefined
          if (asked !== undefined) return Effect.asVoid(Deferred.succeed(asked, line))
          const text = Option.getOrElse(line, () => "")
          if (Option.isSome(line) && text.trim() === "") return Effect.void
          if (isAside(text)) return Effect.asVoid(asides.offer(text))
          if (queue.length < queueLimit) queue.push(line)
          else editor.text = text
          return Effect.void
        })
      const press = (key: Key): Effect.Effect<void> => {
        const empty = editor.text === ""
        if (isCtrl(key, "d") && empty) return submit(Option.none())
        if (isCtrl(key, "c") || isEscape(key)) {
          if (waiting === undefined) return interrupt
          editor.discard()
          return empty && !isEscape(key) ? interrupt : Effect.void
        }
        const line = editor.press(key)
        return line === undefined ? Effect.void : submit(Option.some(line))
      }
      yield* Effect.forkScoped(keyboard.focus((key) => Effect.zipRight(press(key), region.redraw))(Effect.never))

      return Composer.of({
        next: (shown) =>
          Effect.flatMap(Deferred.make<Option.Option<string>>(), (answer) =>
            Effect.acquireUseRelease(
              Effect.sync(() => {
                mark = shown
                if (queue.length === 0) waiting = answer
              }),
              () =>
                Effect.suspend(() => {
                  const line = queue.shift()
                  return Effect.zipRight(
                    region.redraw,
                    line === undefined ? Deferred.await(answer) : Effect.succeed(line)
                  )
                }),
              () =>
                Effect.sync(() => {
                  waiting = undefined
                })
            )
          ),
        asides: Mailbox.toStream(asides),
        interruptions: Mailbox.toStream(interruptions),
        interrupt
      })
    })
  )
}
