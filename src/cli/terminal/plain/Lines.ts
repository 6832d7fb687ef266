import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import { StringDecoder } from "node:string_decoder"
import { makeVisible } from "../../../text/visible.ts"
import { Stopping } from "../../Stopping.ts"
import { Mark } from "./Mark.ts"

/** What a person does in a terminal that hands over whole lines. */
export type Entry =
  /** Lines that came at once, as pasted ones do, are one text. */
  | { readonly _tag: "Line"; readonly text: string; readonly pasted: boolean }
  /** Ctrl-C. */
  | { readonly _tag: "Interrupt" }
  /** Ctrl-D, after which nothing comes any more. */
  | { readonly _tag: "End" }

export type OnEntry = (entry: Entry) => Effect.Effect<void>

/** Characters of a line; what is longer is cut. */
const lineLimit = 1024 * 1024

/** What the key sends where the terminal does not make a signal of it. */
const ctrlC = 3

/** How soon the next of pasted lines comes. */
const together = Duration.millis(30)

/** The terminal's own lines, which it echoes and lets a person edit; the last reader to take the focus gets them. */
export class Lines extends Context.Tag("tollgate/cli/Lines")<
  Lines,
  {
    /** Gives every entry to `onEntry` while the effect runs; one that comes after the end gets the end. */
    readonly focus: (onEntry: OnEntry) => <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /**
     * Waits until nothing has been typed for so long. What was typed until then is lost, half a line that the terminal holds back
     * included: it is no answer to what is asked next.
     */
    readonly quiet: (pause: Duration.Duration) => Effect.Effect<void>
    /** Behind which the next prompt is typed. */
    readonly mark: Mark
  }
>() {
  static readonly layer: Layer.Layer<Lines> = Layer.scoped(
    Lines,
    Effect.gen(function* () {
      const { stdin } = process
      const { claim } = yield* Stopping
      const entries = yield* Mailbox.make<Entry>()
      const decoder = new StringDecoder("utf8")
      let rest = ""
      let ended = false
      /** Who waits for quiet, and what came meanwhile. */
      let waiting = 0
      let typed = 0
      const onData = (data: Buffer) => {
        if (waiting > 0) {
          typed++
          if (data.includes(ctrlC)) entries.unsafeOffer({ _tag: "Interrupt" })
          return
        }
        const [last = "", ...lines] = (rest + decoder.write(data)).split(/\r?\n/).reverse()
        rest = last.slice(0, lineLimit)
        for (const text of lines.reverse())
          entries.unsafeOffer({ _tag: "Line", text: text.toWellFormed(), pasted: false })
      }
      const onEnd = () => {
        if (rest !== "") entries.unsafeOffer({ _tag: "Line", text: rest, pasted: false })
        entries.unsafeOffer({ _tag: "End" })
      }
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          stdin.on("data", onData).on("end", onEnd)
          return claim(() => void entries.unsafeOffer({ _tag: "Interrupt" }))
        }),
        (release) =>
          Effect.sync(() => {
            release()
            stdin.off("data", onData).off("end", onEnd)
            stdin.pause()
          })
      )
      let holders: ReadonlyArray<{ readonly onEntry: OnEntry }> = []
      let next: Entry | undefined
      /** The next entry, with the lines that come at once with it. */
      const taken = Effect.gen(function* () {
        let entry = next ?? (yield* entries.take)
        next = undefined
        while (entry._tag === "Line" && entry.text.length < lineLimit) {
          const more = yield* Effect.timeoutOption(entries.take, together)
          if (Option.isNone(more)) break
          if (more.value._tag === "Line") entry = { ...entry, text: `${entry.text}\n${more.value.text}`, pasted: true }
          else {
            next = more.value
            break
          }
        }
        return entry
      })
      yield* taken.pipe(
        Effect.flatMap((entry) => {
          if (entry._tag === "End") ended = true
          return holders.at(-1)?.onEntry(entry) ?? Effect.void
        }),
        Effect.forever,
        Effect.ignore,
        Effect.forkScoped
      )
      /** The terminal gives half a line away only where it does not keep lines. */
      const keepsLines = (keeps: boolean) =>
        Effect.sync(() => {
          if (stdin.isTTY && !ended) stdin.setRawMode(!keeps)
        })
      return {
        mark: new Mark(),
        quiet: (pause) =>
          Effect.acquireUseRelease(
            Effect.zipRight(
              Effect.sync(() => {
                waiting++
                rest = ""
              }),
              keepsLines(false)
            ),
            () =>
              Effect.suspend(() => {
                const before = typed
                return Effect.as(Effect.sleep(pause), before)
              }).pipe(Effect.repeat({ until: (before) => before === typed }), Effect.asVoid),
            () =>
              Effect.zipRight(
                keepsLines(true),
                Effect.sync(() => waiting--)
              )
          ),
        focus: (onEntry) => (self) =>
          Effect.acquireUseRelease(
            Effect.suspend(() => {
              const holder = { onEntry }
              holders = [...holders, holder]
              return Effect.as(ended ? onEntry({ _tag: "End" }) : Effect.void, holder)
            }),
            () => self,
            (holder) =>
              Effect.suspend(() => {
                const isLast = holders.at(-1) === holder
                holders = holders.filter((other) => other !== holder)
                // The end that one reader has got is that of those before it as well.
                return ended && isLast ? (holders.at(-1)?.onEntry({ _tag: "End" }) ?? Effect.void) : Effect.void
              })
          )
      }
    })
  )

  /** No lines at all. */
  static readonly layerNone: Layer.Layer<Lines> = Layer.succeed(Lines, {
    focus: () => (self) => self,
    quiet: () => Effect.void,
    mark: new Mark()
  })
}

/** A line as it is said again. */
export const quoted = (text: string): string => JSON.stringify(makeVisible(text).slice(0, 60))
