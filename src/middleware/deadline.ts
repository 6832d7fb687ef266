import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"
import { macrotask } from "../system/macrotask.ts"
import { monotonicMillis } from "../system/monotonic.ts"
import { awaited } from "./awaited.ts"
import { Stragglers } from "./Stragglers.ts"

export interface Deadline<E> {
  /** From the start of the effect. */
  readonly limit?: Duration.Duration
  /** From the last activity, whose time in monotonic milliseconds `lastActivity` tells. */
  readonly idle?: { readonly after: Duration.Duration; readonly lastActivity: () => number }
  /** `stillRuns` where the effect does not heed its interruption, or is still cleaning up. */
  readonly onTimeout: (which: "limit" | "idle", after: Duration.Duration, stillRuns: boolean) => E
  /** Told when an effect that was still running when it was given up on has ended after all. */
  readonly onStraggler?: Effect.Effect<void>
}

/**
 * Runs an effect until its deadline. Then it is interrupted and the caller goes on at once, whether or not the effect
 * heeds the interruption; `Stragglers` gets one that does not. Interrupting the caller interrupts the effect and awaits it.
 *
 * The effect starts on this very stack and a timer exists only for one that suspends: 5 µs instead of 47 for a race.
 */
export const deadline = <A, E, R, E2>(
  self: Effect.Effect<A, E, R>,
  options: Deadline<E2>
): Effect.Effect<A, E | E2, R> => (Exit.isExit(self) ? (self as Exit.Exit<A, E>) : limited(self, options))

const limited = <A, E, R, E2>(self: Effect.Effect<A, E, R>, options: Deadline<E2>): Effect.Effect<A, E | E2, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.withFiberRuntime<A, E | E2, R>((parent) => {
      const runtime = Runtime.make({
        context: parent.currentContext as Context.Context<R>,
        fiberRefs: parent.getFiberRefs(),
        runtimeFlags: Runtime.defaultRuntimeFlags
      })
      const fiber = Runtime.runFork(runtime)(self, { immediate: true })
      const done = fiber.unsafePoll()
      if (done !== null) return done
      const giveUp = (which: "limit" | "idle", after: Duration.Duration) =>
        Effect.suspend((): Effect.Effect<A, E | E2> => {
          const finished = fiber.unsafePoll()
          if (finished !== null) return finished
          return Effect.zipRight(Fiber.interruptFork(fiber), macrotask).pipe(
            Effect.zipRight(
              Effect.suspend(() => {
                const stillRuns = fiber.unsafePoll() === null
                if (stillRuns) {
                  Context.get(parent.currentContext, Stragglers).add(fiber)
                  const straggler = options.onStraggler
                  if (straggler !== undefined) fiber.addObserver(() => void Runtime.runFork(runtime)(straggler))
                }
                return Effect.fail(options.onTimeout(which, after, stillRuns))
              })
            )
          )
        })
      return restore(awaited(fiber, expiry(options))).pipe(
        Effect.onInterrupt(() => Fiber.interrupt(fiber)),
        Effect.flatMap((first) => (first._tag === "Ended" ? first.value : giveUp(first.said.which, first.said.after)))
      )
    })
  )

/** Runs an effect on its own fiber, which can be interrupted alone. */
export const isolate = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  // Without a deadline nothing times out.
  deadline(self, { onTimeout: (which) => which as never })

interface Expired {
  readonly which: "limit" | "idle"
  readonly after: Duration.Duration
}

/** Ends when the first of the deadlines has passed; nothing where there is none. */
const expiry = <E>({ idle, limit }: Deadline<E>): Effect.Effect<Expired> | undefined => {
  if (limit === undefined && idle === undefined) return undefined
  const most = limit === undefined ? Infinity : Duration.toMillis(limit)
  const patience = idle === undefined ? Infinity : Duration.toMillis(idle.after)
  return Effect.flatMap(monotonicMillis, (from) => {
    const watch: Effect.Effect<Expired> = Effect.flatMap(monotonicMillis, (now) => {
      const left = from + most - now
      const quiet = (idle?.lastActivity() ?? now) + patience - now
      if (limit !== undefined && left <= 0) return Effect.succeed<Expired>({ which: "limit", after: limit })
      if (idle !== undefined && quiet <= 0) return Effect.succeed<Expired>({ which: "idle", after: idle.after })
      return Effect.zipRight(Effect.sleep(Math.min(left, quiet)), watch)
    })
    return watch
  })
}
