import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as HashSet from "effect/HashSet"

/** How a call that did not succeed ended. */
export type End = "failed" | "crashed" | "interrupted"

const worst = (one: End | undefined, other: End | undefined): End | undefined =>
  one === "crashed" || other === "crashed"
    ? "crashed"
    : one === "failed" || other === "failed"
      ? "failed"
      : (one ?? other)

/**
 * Tells a defect from an interruption: siblings interrupted because of a defect do not hide it, and a failure while an
 * interrupted call cleans up is no crash. A defect beside a failure is a crash.
 */
export const endOf = (cause: Cause.Cause<unknown>): End =>
  Cause.match<End | undefined, unknown>(cause, {
    onEmpty: undefined,
    onFail: () => "failed",
    onDie: () => "crashed",
    onInterrupt: () => "interrupted",
    onSequential: (first, then) => (first === "interrupted" ? first : worst(first, then)),
    onParallel: worst
  }) ?? "interrupted"

/**
 * What follows where code has failed or crashed. Code that nobody interrupted and that ends as interrupted has interrupted itself,
 * which is a crash of it; an interruption from outside stays one.
 */
export const catchOwnEnd = <A, E, R, A2, E2, R2>(
  self: Effect.Effect<A, E, R>,
  then: (cause: Cause.Cause<E>, end: Exclude<End, "interrupted">) => Effect.Effect<A2, E2, R2>
): Effect.Effect<A | A2, E | E2, R | R2> =>
  Effect.catchAllCause(self, (cause) =>
    Effect.descriptorWith(({ interruptors }): Effect.Effect<A2, E | E2, R2> => {
      const end = endOf(cause)
      if (end !== "interrupted") return then(cause, end)
      return HashSet.size(interruptors) === 0 ? then(cause, "crashed") : Effect.failCause(cause)
    })
  )

/** What follows where code has crashed, or interrupted itself; its failures stay. */
export const catchOwnCrash = <A, E, R, A2, E2, R2>(
  self: Effect.Effect<A, E, R>,
  then: (cause: Cause.Cause<E>) => Effect.Effect<A2, E2, R2>
): Effect.Effect<A | A2, E | E2, R | R2> =>
  catchOwnEnd(self, (cause, end): Effect.Effect<A2, E | E2, R2> =>
    end === "failed" ? Effect.failCause(cause) : then(cause)
  )
