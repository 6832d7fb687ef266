import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import { Completion } from "./Completion.ts"
import { editorLine, type Sent, TextEditor } from "./editor/TextEditor.ts"
import { Interruptions } from "./Interruptions.ts"
import { isCtrl, isEscape, type Key } from "./Key.ts"
import { Keyboard } from "./Keyboard.ts"
import { columns, fit } from "./Layout.ts"
import type { Suggest } from "./Palette.ts"
import { PromptQueue } from "./PromptQueue.ts"
import { Region } from "./Region.ts"
import type { BottomLine } from "./Drawing.ts"
import { Screen } from "./Screen.ts"

/** Whether a line is about the running task. */
export const isAside = (line: string) => /^\s*\/(?!\S*\/)/.test(line)

/** Rows of what is typed. */
const editorRows = 10

/** Where nothing is typed while a task runs. */
const hint = "type here while it runs"

/** How long before a question a single letter is one that was meant for it. */
const strayMillis = 2000

/** A key that something else than typing is bound to. */
export interface Binding {
  readonly matches: (key: Key) => boolean
  /** It counts while a question is asked as well. */
  readonly always?: true
  readonly run: Effect.Effect<void>
}

/** Where a person types prompts, at any time: while a task runs they are queued. */
export class Composer extends Context.Tag("tollgate/cli/Composer")<
  Composer,
  {
    /** The next prompt, a queued one first; none once the person has no more to say. */
    readonly next: (mark: string) => Effect.Effect<Option.Option<string>>
    /** Slash commands typed while no prompt was waited for. */
    readonly asides: Stream.Stream<string>
    /** Shows nothing until the next prompt is asked for. */
    readonly rest: Effect.Effect<void>
    /** Whether it rests: no key stops a task then. */
    readonly isResting: () => boolean
    /** Binds a key from now on; an earlier binding of it gives way. */
    readonly bind: (binding: Binding) => Effect.Effect<void>
    /** What a key does while a question is asked; unset for one that belongs to the question. */
    readonly boundAlways: (key: Key) => Effect.Effect<void> | undefined
    /** Suggests how to go on from now on. */
    readonly assist: (suggest: Suggest) => Effect.Effect<void>
    /** What Ctrl-R searches with what is typed. */
    readonly searchWith: (search: Suggest) => Effect.Effect<void>
    /** Gives the terminal to another program. */
    readonly lend: Keyboard["Type"]["lend"]
    /** Takes back a single letter that was typed just now: it was meant for the question that comes. */
    readonly takeBackLetter: Effect.Effect<void>
    /** Takes back what is queued and then what is being typed. */
    readonly unsent: Effect.Effect<ReadonlyArray<string>>
    /** What is typed, for those who change it; draw the region afterwards. */
    readonly editor: TextEditor
  }
>() {
  static readonly layer: Layer.Layer<Composer, never, Region | Screen | Keyboard | Interruptions> = Layer.scoped(
    Composer,
    Effect.gen(function* () {
      const region = yield* Region
      const { style, width } = yield* Screen
      const keyboard = yield* Keyboard
      const scope = yield* Effect.scope
      const { interrupt } = yield* Interruptions
      const asides = yield* Mailbox.make<string>({ capacity: 8, strategy: "dropping" })
      const editor = new TextEditor()
      const queue = new PromptQueue()
      /** What stands in front of what is typed while nothing is asked for. */
      const between = "› "
      /** What stands in front of the answer; unset until one was asked for. */
      let mark: string | undefined
      let isResting = false
      let bindings: ReadonlyArray<Binding> = []
      const completion = new Completion(editor)
      const clock = yield* Effect.clock
      /** When something was typed last, by the clock. */
      let typedAt = -Infinity

      yield* region.place({
        composer: (most): BottomLine | undefined => {
          const queued = queue.rows(width(), style, editor.isEmpty)
          const idle = queue.isAsked
          const searching = completion.isSearching
          const suggested = completion.rows(width(), style, Math.max(1, most - queued.length - 1))
          const room = most - queued.length - suggested.length
          const front = searching ? "search › " : ((idle ? mark : undefined) ?? between)
          const line =
            mark === undefined && editor.isEmpty && !searching
              ? undefined
              : !idle && editor.isEmpty && !searching
                ? { text: `${between}${style.dim(fit(hint, width() - columns(between)))}`, cursor: columns(between) }
                : editorLine(editor, front, width(), Math.max(1, Math.min(editorRows, room)), style)
          if (line === undefined && queued.length === 0) return undefined
          const rows = [...queued, ...(line === undefined ? [] : [...(line.above ?? []), line.text]), ...suggested]
          const text = rows.pop() ?? ""
          return { ...line, above: rows, text, up: (line?.up ?? 0) + suggested.length }
        }
      })

      const submit = (sent: Sent): Effect.Effect<void> =>
        Effect.suspend(() => {
          const { text } = sent
          if (queue.give(Option.some(text))) return Effect.void
          if (text.trim() === "") return Effect.void
          if (isAside(text)) return Effect.asVoid(asides.offer(text))
          // What is typed next begins a line of its own.
          if (queue.isFull) editor.text = `${text.trimEnd()}\n`
          else queue.push(sent)
          return Effect.void
        })
      const end = Effect.sync(() => {
        if (!queue.give(Option.none())) queue.end()
      })
      /** Stops the task, and gives back what was queued behind it. */
      const stop = Effect.suspend(() => {
        const back = queue.takeAll().map(({ typed }) => typed)
        if (back.length > 0) editor.typed = [...back, ...(editor.isEmpty ? [] : [editor.typed])].join("\n")
        return interrupt
      })
      const suggesting = Effect.suspend(() => {
        const search = completion.changed(region.redraw)
        return search === undefined ? Effect.void : Effect.asVoid(Effect.forkIn(search, scope))
      })
      const press = (key: Key): Effect.Effect<unknown> => {
        if (completion.press(key)) return Effect.void
        const empty = editor.isEmpty
        const bound = bindings.find(({ matches }) => matches(key))
        if (bound !== undefined) return bound.run
        if (isCtrl(key, "d") && empty) return end
        if (isCtrl(key, "l")) return region.clear
        if (isCtrl(key, "r")) {
          completion.beginSearch()
          return Effect.void
        }
        if (isCtrl(key, "c") || isEscape(key)) {
          if (!queue.isAsked) return stop
          editor.discard()
          return empty && !isEscape(key) ? interrupt : Effect.void
        }
        if (empty && key.key.name === "up") {
          const last = queue.pop()
          if (last !== undefined) {
            editor.typed = last.typed
            return Effect.void
          }
        }
        const sent = editor.press(key)
        typedAt = clock.unsafeCurrentTimeMillis()
        return sent === undefined ? Effect.void : submit(sent)
      }
      yield* Effect.forkScoped(
        keyboard.focus((key) => Effect.zipRight(Effect.zipRight(press(key), suggesting), region.redraw))(Effect.never)
      )

      return Composer.of({
        next: (shown) =>
          Effect.suspend(() => {
            mark = shown
            isResting = false
            return queue.next(() => region.redraw)
          }),
        asides: Mailbox.toStream(asides),
        rest: Effect.suspend(() => {
          mark = undefined
          isResting = true
          return region.changed
        }),
        isResting: () => isResting,
        bind: (binding) =>
          Effect.sync(() => {
            bindings = [binding, ...bindings]
          }),
        boundAlways: (key) => bindings.find(({ always, matches }) => always === true && matches(key))?.run,
        searchWith: (by) =>
          Effect.sync(() => {
            completion.search = by
          }),
        lend: keyboard.lend,
        takeBackLetter: Effect.sync(() => {
          const isStray = clock.unsafeCurrentTimeMillis() - typedAt < strayMillis
          if (isStray && /^[a-z]$/i.test(editor.typed)) editor.typed = ""
        }),
        unsent: Effect.sync(() => {
          const left = [...queue.takeAll().map(({ text }) => text), editor.text]
          editor.text = ""
          return left.filter((text) => text.trim() !== "")
        }),
        assist: (by) =>
          Effect.suspend(() => {
            completion.suggest = by
            completion.forget()
            return suggesting
          }),
        editor
      })
    })
  )
}
