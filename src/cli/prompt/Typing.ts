import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Services } from "../../host/Host.ts"
import type { Surroundings } from "../../host/Surroundings.ts"
import { Composer } from "../terminal/Composer.ts"
import { isCtrl, isEscape } from "../terminal/Key.ts"
import type { CommandFailed, CommandServices, Prompt } from "./commands/Command.ts"
import type { Dialogue } from "./Dialogue.ts"

interface Options<E> {
  readonly prompt: Prompt
  /** Loads while the person types. */
  readonly dialogue: Effect.Effect<Dialogue, E>
  /** Carries out a slash command. */
  readonly perform: (line: string) => Effect.Effect<unknown, never, Exclude<CommandServices, Services>>
}

/** How soon the second of two Escapes must follow. */
const twiceMillis = 500

/** What helps while a prompt is typed: suggestions, history and its search, the editor, and the key of the modes. */
export const make = <E extends CommandFailed>({ dialogue, perform, prompt }: Options<E>) =>
  Effect.gen(function* () {
    const composer = yield* Composer
    const scope = yield* Effect.scope
    const services = yield* Effect.context<Exclude<CommandServices, Services> | Surroundings | Scope.Scope>()
    const { editor } = composer
    /** What was typed at the prompts of this project, the latest last. */
    const typedBefore: Array<string> = []
    let unwritable = false

    const assisting = Effect.flatMap(dialogue, ({ edited, history, search, suggest }) =>
      Effect.gen(function* () {
        const suggesting = suggest(prompt)
        yield* composer.assist((typed, at) => Effect.provide(suggesting(typed, at), services))
        typedBefore.unshift(...history.entries)
        editor.remember(history.entries)
        yield* composer.searchWith(search(() => typedBefore))
        if (history.problem !== undefined) yield* prompt.say(history.problem, "warning")
        const edit = Effect.suspend(() => composer.lend(edited(editor.text))).pipe(
          Effect.map((text) => {
            editor.text = text
          }),
          Effect.catchAll((error) => prompt.say(error.message, "error")),
          Effect.provide(services)
        )
        yield* composer.bind({ matches: (key) => isCtrl(key, "g"), run: edit })
      })
    )
    yield* Effect.forkScoped(assisting)
    /** Each press goes on from the mode that the one before it has set. */
    const stepping = yield* Effect.makeSemaphore(1)
    yield* composer.bind({
      matches: ({ key }) => key.name === "tab" && key.shift,
      always: true,
      run: Effect.asVoid(Effect.forkIn(Effect.provide(stepping.withPermits(1)(perform("/mode next")), services), scope))
    })
    const clock = yield* Effect.clock
    /** Until when a second Escape counts, by the clock. */
    let armed = -Infinity
    yield* composer.bind({
      // The second Escape in a row, soon after the first, where there is nothing to discard or stop.
      matches: (key) => {
        const now = clock.unsafeCurrentTimeMillis()
        const counts = isEscape(key) && editor.isEmpty && !prompt.isRunning()
        const again = counts && now <= armed
        armed = counts && !again ? now + twiceMillis : -Infinity
        return again
      },
      run: Effect.asVoid(Effect.forkIn(Effect.provide(perform("/rewind"), services), scope))
    })
    yield* composer.bind({
      matches: (key) => isCtrl(key, "b") && prompt.isRunning(),
      run: Effect.suspend(() =>
        Effect.catchAll(prompt.current()?.detach ?? Effect.void, (error) => prompt.say(error.message, "error"))
      )
    })

    return {
      /** Keeps what was typed for the prompts that follow; whether it could be written. */
      record: (text: string): Effect.Effect<boolean> =>
        Effect.suspend(() => {
          typedBefore.push(text)
          if (unwritable) return Effect.succeed(false)
          return Effect.flatMap(dialogue, ({ history }) => history.add(text)).pipe(
            Effect.catchTag("HistoryFailed", (error) => {
              unwritable = true
              return Effect.as(prompt.say(error.message, "warning"), false)
            }),
            Effect.orElseSucceed(() => false)
          )
        })
    }
  })
