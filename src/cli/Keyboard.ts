import type { UserInput } from "@effect/platform/Terminal"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export type Key = UserInput

export type OnKey = (key: Key) => Effect.Effect<void>

/** What is pasted comes between two marks, so that a line break in it is none of the person's. */
const marksPaste = "\u001b[?2004h"
const marksPasteNoMore = "\u001b[?2004l"
const write = (text: string) => Effect.sync(() => void process.stdout.write(text))

/** The keys of a terminal in raw mode; whoever took the focus last gets them. */
export class Keyboard extends Context.Tag("tollgate/cli/Keyboard")<
  Keyboard,
  {
    /** Gives every key to `onKey` while the effect runs. */
    readonly focus: (onKey: OnKey) => <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>() {
  static readonly layer: Layer.Layer<Keyboard> = Layer.scoped(
    Keyboard,
    Effect.gen(function* () {
      const terminal = yield* NodeTerminal.make(() => false)
      const keys = yield* terminal.readInput
      yield* Effect.acquireRelease(write(marksPaste), () => write(marksPasteNoMore))
      let holders: ReadonlyArray<{ readonly onKey: OnKey }> = []
      yield* keys.take.pipe(
        Effect.flatMap((key) => holders.at(-1)?.onKey(key) ?? Effect.void),
        Effect.forever,
        Effect.ignore,
        Effect.forkScoped
      )
      return {
        focus: (onKey) => (self) =>
          Effect.acquireUseRelease(
            Effect.sync(() => {
              const holder = { onKey }
              holders = [...holders, holder]
              return holder
            }),
            () => self,
            (holder) =>
              Effect.sync(() => {
                holders = holders.filter((other) => other !== holder)
              })
          )
      }
    })
  )

  /** No keys at all. */
  static readonly layerNone: Layer.Layer<Keyboard> = Layer.succeed(Keyboard, { focus: () => (self) => self })
}

export const isCtrl = ({ key }: Key, name: string): boolean => key.ctrl && key.name === name
export const isEscape = ({ key }: Key): boolean => key.name === "escape"
export const isEnter = ({ key }: Key): boolean => key.name === "return" || key.name === "enter"
