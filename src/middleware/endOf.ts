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

/** The same for code that nobody interrupted: where it ends as interrupted, it interrupted itself, which is a crash of it. */
export const ownEndOf = (cause: Cause.Cause<unknown>): Effect.Effect<End> =>
  Effect.descriptorWith(({ interruptors }) => {
    const end = endOf(cause)
    return Effect.succeed(end === "interrupted" && HashSet.size(interruptors) === 0 ? "crashed" : end)
  })
