import * as Effect from "effect/Effect"

/** A limit of no calls would hold every call for ever, and one that is not a number none: both are bugs of who asks for it. */
export const checkedPermits = (limit: string, permits: number): Effect.Effect<number> =>
  Number.isSafeInteger(permits) && permits >= 1
    ? Effect.succeed(permits)
    : Effect.die(new RangeError(`${limit}: permits must be a whole number of at least 1, not ${permits}.`))
