import * as Effect from "effect/Effect"
import { valueOf } from "./effectOf.ts"
import type { Any, Change, Fails, Middleware, Requires } from "./Middleware.ts"
import { named, steps } from "./Step.ts"

/** What remains of a change that may or may not happen: what it handles or provides cannot be relied upon. */
export interface Sometimes<C> {
  readonly fails: Fails<C>
  readonly requires: Requires<C>
}

/** The middleware where the predicate holds, and nothing where it does not. */
export const when = <Call, C extends Change>(
  predicate: (call: Call) => boolean,
  middleware: Middleware<Call, C>
): Middleware<Call, Sometimes<C>> => {
  const inner = steps(middleware as unknown as Any).map(({ step }) => step)
  const conditional: Middleware<Call, Sometimes<C>> = (call, next) =>
    Effect.suspend(() => (valueOf("its predicate", predicate(call)) ? middleware(call, next) : next(call)))
  return named(`when › ${inner.join(" › ")}`, "", conditional)
}
