import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Duration from "effect/Duration"
import type * as Scope from "effect/Scope"

interface Shape {
  readonly add: (fiber: Fiber.RuntimeFiber<unknown, unknown>) => void
}

/** Fibers that were interrupted and given up on, and have not ended; without a runtime nobody waits for them. */
export class Stragglers extends Context.Reference<Stragglers>()("tollgate/middleware/Stragglers", {
  defaultValue: (): Shape => ({ add: () => {} })
}) {
  /** They are waited for at the end of the scope, for at most `grace` in all. */
  static scoped(grace: Duration.DurationInput): Effect.Effect<Shape, never, Scope.Scope> {
    const acquire = Effect.sync(() => {
      const fibers = new Set<Fiber.RuntimeFiber<unknown, unknown>>()
      const add: Shape["add"] = (fiber) => {
        fibers.add(fiber)
        fiber.addObserver(() => fibers.delete(fiber))
      }
      return { add, fibers }
    })
    return Effect.acquireRelease(acquire, ({ fibers }) =>
      fibers.size === 0 || Duration.toMillis(grace) === 0
        ? Effect.void
        : Effect.asVoid(Effect.timeoutOption(Effect.interruptible(Fiber.awaitAll(fibers)), grace))
    )
  }
}
