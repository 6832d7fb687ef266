import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Layer from "effect/Layer"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import * as readline from "node:readline"
import { PassThrough } from "node:stream"
import { StringDecoder } from "node:string_decoder"
import { shownLines } from "./editor/FoldedPastes.ts"
import { isCtrl, type Key } from "./Key.ts"
import { isKittyKey, kittyKey, popKittyKeys, pushKittyKeys, splitKittyKeys } from "./KittyKeys.ts"
import { Pastes } from "./Paste.ts"
import { unfinished, withoutReports } from "./reports.ts"
import { Screen } from "./Screen.ts"

export type OnKey = (key: Key) => Effect.Effect<void>

/** What makes a terminal mark pastes and tell modifiers, and what ends that. */
const begins = `\u001b[?2004h${pushKittyKeys}`
const ends = `${popKittyKeys}\u001b[?2004l`

/** How long a stop takes to come, after which there is none: a process without a shell that could continue it goes on. */
const stopTime = Duration.millis(100)

/** How long the rest of a key's sequence may take. */
const escapeMillis = 50

/** No sequence of a key, and no Ctrl-C. */
const isText = (text: string): boolean => !text.includes("\u001b") && !text.includes("\u0003")

/** Whether one piece of input is a paste of a terminal that marks none: nobody types as many lines at once. */
const isUnmarkedPaste = (text: string): boolean => isText(text) && text.split(/\r\n?|\n/).length > shownLines + 1

/** What the terminal sends, as keys; a paste is decoded as a whole and never key by key. */
export const keysOf = (stdin: NodeJS.ReadableStream) =>
  Effect.gen(function* () {
    const keys = yield* Mailbox.make<Key>()
    const typed = new PassThrough()
    const decoder = new StringDecoder("utf8")
    const pastes = new Pastes()
    const onKey = (input: string | undefined, { ctrl, meta, name, sequence = "", shift }: readline.Key) => {
      // One that came in pieces.
      if (isKittyKey(sequence)) return onKitty(sequence)
      // Ctrl-_, which readline knows by no name.
      const known = input === "\u001f" ? { name: "_", ctrl: true } : { name: name ?? "", ctrl: ctrl === true }
      const key = { ...known, meta: meta === true, shift: shift === true }
      keys.unsafeOffer({ input: Option.fromNullable(input), key })
    }
    const onKitty = (sequence: string) => {
      const key = kittyKey(sequence)
      if (key !== undefined) keys.unsafeOffer(key)
    }
    const onPaste = (text: string) => {
      const key = { name: "paste", ctrl: false, meta: false, shift: false }
      keys.unsafeOffer({ input: Option.some(text), key })
    }
    /** An unmarked paste, whose rest may come with the next bytes. */
    let unmarked = ""
    const endUnmarked = () => {
      if (unmarked !== "") onPaste(unmarked)
      unmarked = ""
    }
    const onText = (text: string) => {
      for (const piece of pastes.push(text)) {
        if (piece._tag === "Keys" && (isUnmarkedPaste(piece.text) || (unmarked !== "" && isText(piece.text)))) {
          unmarked += piece.text
          continue
        }
        endUnmarked()
        if (piece._tag === "Pasted") onPaste(piece.text)
        // Decoded at once: a key stays before the paste that follows it.
        else
          for (const part of splitKittyKeys(withoutReports(piece.text))) {
            if (isKittyKey(part)) onKitty(part)
            else typed.emit("data", Buffer.from(part))
          }
      }
    }
    /** The beginning of a sequence whose rest may come with the next bytes. */
    let begun = ""
    const waiting = yield* FiberHandle.make()
    const wait = yield* FiberHandle.runtime(waiting)<never>()
    const release = Effect.sync(() => {
      const rest = begun
      begun = ""
      if (rest !== "") onText(rest)
      endUnmarked()
    })
    const onData = (data: Buffer) => {
      const text = begun + decoder.write(data)
      begun = unfinished.exec(text)?.[0] ?? ""
      if (begun.length < text.length) onText(text.slice(0, text.length - begun.length))
      // What follows takes the place of a wait before it.
      wait(begun === "" && unmarked === "" ? Effect.void : Effect.delay(release, escapeMillis))
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        const decoding = readline.createInterface({ input: typed, escapeCodeTimeout: 0 })
        readline.emitKeypressEvents(typed, decoding)
        typed.on("keypress", onKey)
        stdin.on("data", onData)
        return decoding
      }),
      (decoding) =>
        Effect.sync(() => {
          stdin.off("data", onData)
          stdin.pause()
          decoding.close()
        })
    )
    return keys as Mailbox.ReadonlyMailbox<Key>
  })

/** The terminal's modes for typing: begun, and ended on every path, also where the process ends without its finalizers. */
const typing = (stdin: NodeJS.ReadStream) => {
  let on = false
  const begin = () => {
    if (stdin.isTTY) stdin.setRawMode(true)
    stdin.resume()
    process.stdout.write(begins)
    on = true
  }
  const end = () => {
    if (!on) return
    on = false
    process.stdout.write(ends)
    stdin.pause()
    if (stdin.isTTY) stdin.setRawMode(false)
  }
  /** Begins anew after a stop that nobody here asked for, in which a shell has set modes of its own. */
  const onContinue = () => {
    if (!on) return
    if (stdin.isTTY) stdin.setRawMode(false)
    begin()
  }
  return Effect.acquireRelease(
    Effect.sync(() => {
      begin()
      process.on("exit", end).on("SIGCONT", onContinue)
      return { begin, end }
    }),
    () =>
      Effect.sync(() => {
        process.off("exit", end).off("SIGCONT", onContinue)
        end()
      })
  )
}

/** Stops the process and what was started with it, as Ctrl-Z does where no one reads keys, until the shell continues it. */
const stop = Effect.zipRight(
  Effect.sync(() => process.kill(0, "SIGTSTP")),
  Effect.sleep(stopTime)
)

/** The keys of a terminal in raw mode; the last reader to take the focus gets them, Ctrl-Z excepted, which suspends. */
export class Keyboard extends Context.Tag("tollgate/cli/Keyboard")<
  Keyboard,
  {
    /** Gives every key to `onKey` while the effect runs. */
    readonly focus: (onKey: OnKey) => <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Gives the terminal to another program, which reads the keys. */
    readonly lend: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>() {
  static readonly layer: Layer.Layer<Keyboard, never, Screen> = Layer.scoped(
    Keyboard,
    Effect.gen(function* () {
      const screen = yield* Screen
      const keys = yield* keysOf(process.stdin)
      const modes = yield* typing(process.stdin)
      let holders: ReadonlyArray<{ readonly onKey: OnKey }> = []
      const lend: Keyboard["Type"]["lend"] = (self) =>
        screen.lend(
          Effect.acquireUseRelease(
            Effect.sync(modes.end),
            () => self,
            () => Effect.sync(modes.begin)
          )
        )
      yield* keys.take.pipe(
        Effect.flatMap((key) => (isCtrl(key, "z") ? lend(stop) : (holders.at(-1)?.onKey(key) ?? Effect.void))),
        Effect.forever,
        Effect.ignore,
        Effect.forkScoped
      )
      return {
        lend,
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
  static readonly layerNone: Layer.Layer<Keyboard> = Layer.succeed(Keyboard, {
    focus: () => (self) => self,
    lend: (self) => self
  })
}
