import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { awaited } from "../middleware/awaited.ts"

/** How long the end of a session, or of a runtime, waits for what does not answer. */
export const patience = Duration.seconds(30)

interface Shape {
  /** From here on nothing is waited for for longer. */
  readonly begin: Effect.Effect<void>
  /** What there is in place of an answer where the runtime ends and there is none; it works where nothing can be interrupted. */
  readonly bounded: <A, E, R, B, E2>(
    self: Effect.Effect<A, E, R>,
    late: Effect.Effect<B, E2>
  ) => Effect.Effect<A | B, E | E2, R>
}

/** Keeps the end of a runtime from waiting for ever for code of the user; without a runtime nothing is bounded. */
export class Closing extends Context.Reference<Closing>()("tollgate/runtime/Closing", {
  defaultValue: (): Shape => ({ begin: Effect.void, bounded: (self) => self })
}) {
  static readonly make: Effect.Effect<Shape> = Effect.sync(() => {
    const begun = Effect.unsafeMakeLatch(false)
    const alarm = Effect.zipRight(begun.await, Effect.sleep(patience))
    return {
      begin: begun.open,
      bounded: (self, late) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const fiber = yield* Effect.forkDaemon(Effect.interruptible(self))
            const first = yield* Effect.exit(restore(awaited(fiber, alarm)))
            if (Exit.isSuccess(first) && first.value._tag === "Ended") return yield* first.value.value
            yield* Fiber.interruptFork(fiber)
            if (Exit.isSuccess(first)) return yield* late
            yield* awaited(fiber, alarm)
            return yield* Effect.failCause(first.cause)
          })
        )
    }
  })
}
