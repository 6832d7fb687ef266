import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"

const kindOf = (given: unknown): string => {
  if (given === undefined || given === null) return String(given)
  if (!Predicate.isPromiseLike(given)) return typeof given === "object" ? "an object" : `a ${typeof given}`
  // Nobody waits for it, and its rejection would end the process.
  given.then(undefined, () => {})
  return "a promise"
}

/** Says what code gave in place of what it was to give; a promise that it gave does not end the process. */
export const misgiven = (who: string, given: unknown, wanted: string): TypeError => {
  const kind = kindOf(given)
  const advice = kind === "a promise" && wanted === "an Effect" ? ". Wrap it, e.g. by Effect.tryPromise" : ""
  return new TypeError(`${who} returned ${kind}, not ${wanted}${advice}`)
}

/** What code gives as an effect; anything else is a crash of it. The compiler has not seen all code. */
export const effectOf = <A, E, R>(who: string, given: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.isEffect(given) ? given : Effect.die(misgiven(who, given, "an Effect"))

/** The same of a function, which may throw. */
export const effectFrom = <A, E, R>(who: string, ask: () => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => effectOf(who, ask()))

/** What code gives at once; it throws where that is a promise, which is no answer. */
export const valueOf = <A>(who: string, given: A): A => {
  if (Predicate.isPromiseLike(given)) throw misgiven(who, given, "a value")
  return given
}
