import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { Runtime } from "../../runtime/Runtime.ts"
import { SessionStore } from "../../runtime/SessionStore.ts"
import { present } from "../../ui/present.ts"
import { Ui } from "../../ui/Ui.ts"
import { reading } from "../reading.ts"
import { Composer } from "../terminal/Composer.ts"
import { Form } from "../terminal/Form.ts"
import { fit } from "../terminal/Layout.ts"
import { Region } from "../terminal/Region.ts"
import { Screen } from "../terminal/Screen.ts"
import { lookedThrough, promptsOf, rows } from "./Recap.ts"

export interface Watched {
  readonly session: string
  /** The process that has taken it over from here, if any. */
  readonly takenBy?: number
}

/**
 * Shows a session that another process has open: what it did last, and what it does from now on. Gives whether the person takes
 * it over, once its owner has let go of it; else they leave.
 */
export const watch = ({ session, takenBy }: Watched) =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const store = yield* SessionStore
    const screen = yield* Screen
    const region = yield* Region
    const form = yield* Form
    const ui = yield* Ui
    yield* (yield* Composer).rest
    const { handover } = store
    if (handover === undefined) return false
    let owner = yield* handover.owner(session)
    const { head } = yield* store.get(session)
    const text = () =>
      owner === undefined
        ? "READ-ONLY · its process has ended · t goes on here · esc leaves"
        : `READ-ONLY · open in process ${owner} · t takes it over · esc leaves`
    yield* region.place({ statusLine: (width) => screen.style.inverse(fit(` ${text()} `, width)) })
    const events = yield* store.read(session, Math.max(1, head - lookedThrough), lookedThrough + 1)
    const begun = events.findLast(({ event }) => event._tag === "TaskStarted")
    // Told from its last task on, of which another part may follow.
    const from = takenBy === undefined ? (begun?.seq ?? head + 1) : head + 1
    if (takenBy === undefined) {
      const prompts = (yield* promptsOf(store, session)).filter(({ seq }) => seq < from).length
      const before = events.filter(({ seq }) => seq < from)
      const told = rows({ events: before, prompts }, screen)
      if (told.length > 0) yield* screen.progress(`${told.join("\n")}\n\n`)
    }
    const said =
      takenBy !== undefined
        ? `taken over by process ${takenBy}; it goes on there, and is shown here read-only`
        : owner === undefined
          ? "shown read-only"
          : `open in process ${owner}; shown read-only`
    yield* ui.display({ _tag: "Note", level: "info", text: said, whole: true })
    /** The number of the last event that has been shown. */
    const shown = yield* SubscriptionRef.make(from - 1)
    const showing = yield* Effect.forkScoped(
      present(runtime.subscribe(session, { from, follow: true }), {
        after: ({ seq }) => SubscriptionRef.update(shown, (last) => Math.max(last, seq))
      }).pipe(Effect.catchAll(({ message: text }) => ui.display({ _tag: "Note", level: "error", text, whole: true })))
    )
    /** Returns once everything that its owner wrote before it let go is shown. */
    const caughtUp = Effect.flatMap(store.get(session), ({ head }) =>
      Effect.raceFirst(Stream.runDrain(Stream.takeUntil(shown.changes, (last) => last >= head)), Fiber.await(showing))
    )
    const look = Effect.flatMap(handover.owner(session), (now) => {
      if (now === owner) return Effect.void
      owner = now
      return screen.plain ? screen.progress(`${text()}\n`) : region.changed
    })
    // A store that cannot be read is looked at again.
    yield* Effect.forkScoped(Effect.repeat(Effect.ignore(look), Schedule.spaced("500 millis")))
    for (;;) {
      const key = yield* form.press(["t"], text)
      if (Option.isNone(key)) return false
      if (owner !== undefined) {
        yield* ui.display({
          _tag: "Note",
          level: "info",
          text: `asking process ${owner} to hand it over …`,
          whole: true
        })
      }
      const answer = yield* form.whole(Effect.either(handover.request(session)))
      if (Option.isNone(answer)) return false
      const asked = answer.value
      if (Either.isRight(asked)) {
        yield* caughtUp
        const by = asked.right === undefined ? "" : ` from process ${asked.right}`
        yield* ui.display({ _tag: "Note", level: "info", text: `taken over${by}; it goes on here`, whole: true })
        return true
      }
      yield* ui.display({ _tag: "Note", level: "error", text: asked.left.message, whole: true })
    }
  }).pipe(
    Effect.ensuring(Effect.flatMap(Ui, ({ stop }) => stop)),
    Effect.ensuring(Effect.flatMap(Region, ({ place }) => place({ statusLine: () => undefined }))),
    Effect.scoped,
    Effect.provide(reading)
  )
