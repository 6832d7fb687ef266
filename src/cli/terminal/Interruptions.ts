import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Mailbox from "effect/Mailbox"
import * as Stream from "effect/Stream"
import { Stopping } from "../Stopping.ts"

/** The interruptions of a person who types: those of a conversation, or of the command where there is none. */
export class Interruptions extends Context.Tag("tollgate/cli/Interruptions")<
  Interruptions,
  {
    /** One element each time everything in flight is to stop. */
    readonly all: Stream.Stream<void>
    /** Keeps them from now on for a conversation that is about to begin. */
    readonly expect: Effect.Effect<void>
    /** Whether a conversation hears of them. */
    readonly isHeard: () => boolean
    /** Tells the conversation; where there is none, ends the command, as Ctrl-C does where no one reads keys. */
    readonly interrupt: Effect.Effect<void>
  }
>() {
  static readonly layer: Layer.Layer<Interruptions> = Layer.effect(
    Interruptions,
    Effect.gen(function* () {
      const stopping = yield* Stopping
      const kept = yield* Mailbox.make<void>({ capacity: 8, strategy: "dropping" })
      let heard = false
      const expect = Effect.sync(() => void (heard = true))
      return {
        all: Stream.unwrap(Effect.as(expect, Mailbox.toStream(kept))),
        expect,
        isHeard: () => heard,
        interrupt: Effect.suspend(() =>
          heard ? Effect.asVoid(kept.offer(undefined)) : Effect.sync(stopping.interrupt)
        )
      }
    })
  )
}
