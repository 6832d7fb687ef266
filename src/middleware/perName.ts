import * as Effect from "effect/Effect"
import type { Any, Change, Middleware } from "./Middleware.ts"
import type { Named } from "./Named.ts"
import { named, stepOf } from "./Step.ts"

/** A stateful middleware of its own for every name, where the plain one is shared by all that it is put around. */
export const perName = <Call extends Named, C extends Change>(
  make: Effect.Effect<Middleware<Call, C>>
): Effect.Effect<Middleware<Call, C>> =>
  Effect.map(make, (first) => {
    const made = new Map<string, Middleware<Call, C>>()
    const each: Middleware<Call, C> = (call, next) => {
      const known = made.get(call.name)
      if (known !== undefined) return known(call, next)
      return Effect.flatMap(made.size === 0 ? Effect.succeed(first) : make, (fresh) => {
        const own = made.get(call.name) ?? fresh
        made.set(call.name, own)
        return own(call, next)
      })
    }
    const { detail, step } = stepOf(first as unknown as Any)
    return named(step, `${detail}, each by itself`, each)
  })
