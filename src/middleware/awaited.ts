import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Runtime from "effect/Runtime"

/** What was waited for, or what an alarm said before. */
export type Awaited<A, B> = { readonly _tag: "Ended"; readonly value: A } | { readonly _tag: "Rang"; readonly said: B }

/**
 * Waits for a value until an alarm says otherwise. The alarm is the one fiber that it takes, where a race makes one for each side,
 * and it is ended together with the wait. `listen` begins to listen, and its result ends that.
 */
export const alarmed = <A, B = never>(
  listen: (hear: (value: A) => void) => () => void,
  alarm?: Effect.Effect<B>
): Effect.Effect<Awaited<A, B>> =>
  Effect.withFiberRuntime((parent) =>
    Effect.async((resume) => {
      let isOver = false
      let leave = () => {}
      const runtime = Runtime.make({
        context: parent.currentContext as Context.Context<never>,
        fiberRefs: parent.getFiberRefs(),
        runtimeFlags: Runtime.defaultRuntimeFlags
      })
      const bell = alarm === undefined ? undefined : Runtime.runFork(runtime)(alarm)
      const rang = (exit: Exit.Exit<B>) => {
        stop()
        resume(Effect.map(exit, (said) => ({ _tag: "Rang", said })))
      }
      const stop = () => {
        isOver = true
        leave()
        bell?.removeObserver(rang)
        bell?.unsafeInterruptAsFork(FiberId.none)
      }
      bell?.addObserver(rang)
      leave = listen((value) => {
        if (isOver) return
        stop()
        resume(Effect.succeed({ _tag: "Ended", value }))
      })
      if (isOver) leave()
      return Effect.sync(stop)
    })
  )

/** Waits for a fiber until an alarm says otherwise; the fiber goes on either way. */
export const awaited = <A, E, B = never>(
  fiber: Fiber.RuntimeFiber<A, E>,
  alarm?: Effect.Effect<B>
): Effect.Effect<Awaited<Exit.Exit<A, E>, B>> =>
  Effect.suspend(() => {
    const done = fiber.unsafePoll()
    return done === null
      ? alarmed((hear) => {
          fiber.addObserver(hear)
          return () => fiber.removeObserver(hear)
        }, alarm)
      : Effect.succeed({ _tag: "Ended", value: done })
  })
