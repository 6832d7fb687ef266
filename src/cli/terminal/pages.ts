import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import { isCtrl, type Key } from "./Key.ts"
import { Keyboard } from "./Keyboard.ts"
import { type Paged, pager } from "./Pager.ts"
import { Screen } from "./Screen.ts"

/** Keys that wait for the pager. */
const keyLimit = 16

/** Shows a text page by page on the whole screen until a key closes it; so does Ctrl-C where nothing else is meant by it. */
export const showPages = (paged: Paged, onCtrlC?: Effect.Effect<void>): Effect.Effect<void, never, Screen | Keyboard> =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const keyboard = yield* Keyboard
    const keys = yield* Queue.sliding<Key>(keyLimit)
    const closed = yield* Deferred.make<void>()
    const nextKey = (redraw: Effect.Effect<void>) =>
      Effect.raceFirst(
        Queue.take(keys),
        Effect.zipRight(Effect.repeat(redraw, Schedule.spaced("1 second")), Effect.never)
      )
    const pages = Effect.raceFirst(Effect.asVoid(pager(screen, paged, nextKey)), Deferred.await(closed))
    const interrupted = onCtrlC ?? Effect.asVoid(Deferred.succeed(closed, undefined))
    yield* keyboard.focus((key) => (isCtrl(key, "c") ? interrupted : Effect.asVoid(Queue.offer(keys, key))))(pages)
  })
