import type { UserInput } from "@effect/platform/Terminal"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import * as readline from "node:readline"
import { PassThrough } from "node:stream"
import { StringDecoder } from "node:string_decoder"
import { Pastes } from "./Paste.ts"

/** A pressed key; one named `paste` holds the whole pasted text. */
export type Key = UserInput

export type OnKey = (key: Key) => Effect.Effect<void>

const marksPaste = "\u001b[?2004h"
const marksPasteNoMore = "\u001b[?2004l"
const write = (text: string) => Effect.sync(() => void process.stdout.write(text))

/** How long the rest of a key's sequence may take. */
const escapeMillis = 50

/** What the terminal sends, as keys; a paste is decoded as a whole and never key by key. */
const keysOf = (stdin: NodeJS.ReadStream) =>
  Effect.gen(function* () {
    const keys = yield* Mailbox.make<Key>()
    const typed = new PassThrough()
    const decoder = new StringDecoder("utf8")
    const pastes = new Pastes()
    const onKey = (input: string | undefined, { ctrl, meta, name, shift }: readline.Key) => {
      const key = { name: name ?? "", ctrl: ctrl === true, meta: meta === true, shift: shift === true }
      keys.unsafeOffer({ input: Option.fromNullable(input), key })
    }
    const onPaste = (text: string) => {
      const key = { name: "paste", ctrl: false, meta: false, shift: false }
      keys.unsafeOffer({ input: Option.some(text), key })
    }
    const onData = (data: Buffer) => {
      for (const { _tag, text } of pastes.push(decoder.write(data))) {
        if (_tag === "Pasted") onPaste(text)
        // Decoded at once: a key stays before the paste that follows it.
        else typed.emit("data", Buffer.from(text))
      }
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        const decoding = readline.createInterface({ input: typed, escapeCodeTimeout: escapeMillis })
        readline.emitKeypressEvents(typed, decoding)
        typed.on("keypress", onKey)
        stdin.on("data", onData)
        if (stdin.isTTY) stdin.setRawMode(true)
        return decoding
      }),
      (decoding) =>
        Effect.sync(() => {
          stdin.off("data", onData)
          stdin.pause()
          if (stdin.isTTY) stdin.setRawMode(false)
          decoding.close()
        })
    )
    return keys as Mailbox.ReadonlyMailbox<Key>
  })

/** The keys of a terminal in raw mode; the last reader to take the focus gets them. */
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
      const keys = yield* keysOf(process.stdin)
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
