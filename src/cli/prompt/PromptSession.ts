import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { type ApprovalPolicy, ordinary } from "../../approval/ApprovalPolicy.ts"
import type { Level } from "../../ui/Display.ts"
import type { Ui } from "../../ui/Ui.ts"
import { Region } from "../terminal/Region.ts"
import { Screen } from "../terminal/Screen.ts"
import type { Dialogue } from "./Dialogue.ts"
import type { PromptState } from "./PromptState.ts"
import type { Session } from "./Session.ts"

/** The person has stopped what waited for its session to open. */
export class NotSent extends Schema.TaggedError<NotSent>()("NotSent", {}) {
  override get message() {
    return "stopped before it was sent"
  }
}

interface Options<E> {
  readonly state: PromptState
  /** Loads while the person types. */
  readonly dialogue: Effect.Effect<Dialogue, E>
  /** What the command line has asked for. */
  readonly policy: ApprovalPolicy
  /** What an old session did last has been shown. */
  readonly isShown: boolean
  readonly say: (text: string, level?: Level) => Effect.Effect<void>
  /** Runs when a task has ended. */
  readonly ended: Effect.Effect<unknown>
  readonly quit: Deferred.Deferred<void>
}

/** The session of a prompt, which is created when it is first needed, and the task that is shown to its end. */
export const make = <E>({ dialogue, ended, isShown, policy, quit, say, state }: Options<E>) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const region = yield* Region
    const scope = yield* Effect.scope
    const context = yield* Effect.context<Scope.Scope | Ui>()
    let session: Session | undefined
    /** Open, but not in the mode that was chosen yet: nothing runs in it, and the next try goes on with it. */
    let unready: Session | undefined
    /** The mode that the session has until what is shown of it tells. */
    let mode = policy
    /** Fulfilled when the task that is waited for has ended. */
    let running: Deferred.Deferred<void> | undefined
    /** Failed by an interruption while a task waits for the session. */
    let waiting: Deferred.Deferred<never, NotSent> | undefined

    /** One at a time: a command that is typed while the session opens waits for the same one. */
    const opening = yield* Effect.makeSemaphore(1)
    const opened = Effect.gen(function* () {
      if (session !== undefined) return session
      const { open } = yield* dialogue
      const begin = open({
        ended: Effect.suspend(() =>
          Effect.zipRight(
            Effect.forkIn(ended, scope),
            running === undefined ? Effect.void : Deferred.succeed(running, undefined)
          )
        ),
        heard: (envelope) =>
          Effect.suspend(() => {
            state.hear(envelope)
            if (envelope.event._tag === "SessionSuspended") return Deferred.succeed(quit, undefined)
            return envelope.transient === true ? Effect.void : region.changed
          })
      })
      const fresh = unready ?? (yield* begin)
      unready = fresh
      // Another may be chosen while one is set.
      while (mode !== state.mode) {
        const wanted = state.mode
        yield* fresh.setMode(wanted)
        mode = wanted
      }
      session = fresh
      state.spent(fresh.spent)
      if (fresh.profile !== "") state.profile = fresh.profile
      const before = isShown ? [] : yield* fresh.recap(screen)
      if (before.length > 0) yield* screen.progress(`${before.join("\n")}\n\n`)
      if (fresh.goesOn !== undefined) running = yield* Deferred.make<void>()
      yield* Effect.forkScoped(
        // What is shown ends where the session does, and with it the wait for its task.
        Effect.zipRight(
          Effect.catchAll(fresh.shown, (error) => say(error.message, "error")),
          Deferred.succeed(quit, undefined)
        )
      )
      return fresh
    }).pipe(opening.withPermits(1), Effect.provide(context))

    /** Waits for the end of what runs. */
    const awaited = Effect.gen(function* () {
      if (running !== undefined) yield* Effect.raceFirst(Deferred.await(running), Deferred.await(quit))
      running = undefined
    })

    /** The session for a task; opening it goes on where the person does not wait for it. */
    const begun = Effect.gen(function* () {
      const stopped = yield* Deferred.make<never, NotSent>()
      waiting = stopped
      const fiber = yield* Effect.forkIn(opened, scope)
      return yield* Effect.raceFirst(Fiber.join(fiber), Deferred.await(stopped))
    }).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          waiting = undefined
        })
      )
    )

    /** Shows the task that `begin` sends off to its end. */
    const task = <E, R>(begin: (session: Session) => Effect.Effect<unknown, E, R>) =>
      Effect.gen(function* () {
        state.completed = false
        const target = session ?? (yield* begun)
        running = yield* Deferred.make<void>()
        yield* Effect.onError(begin(target), () =>
          Effect.sync(() => {
            running = undefined
          })
        )
        yield* awaited
      })

    const setMode = (wanted: ApprovalPolicy) =>
      session === undefined && ordinary.some((one) => one === wanted) && wanted !== "sandboxed"
        ? Effect.suspend(() => {
            state.mode = wanted
            return region.changed
          })
        : Effect.flatMap(opened, (target) =>
            Effect.zipRight(
              target.setMode(wanted),
              Effect.suspend(() => {
                state.mode = wanted
                return region.changed
              })
            )
          )

    return {
      current: () => session,
      opened,
      awaited,
      task,
      setMode,
      isRunning: () => running !== undefined || waiting !== undefined,
      /** Stops what runs, or what waits to run; whether anything did. */
      interrupt: Effect.suspend(() =>
        waiting !== undefined
          ? Deferred.fail(waiting, new NotSent())
          : session === undefined || running === undefined
            ? Effect.succeed(false)
            : Effect.as(session.interrupt, true)
      )
    }
  })
