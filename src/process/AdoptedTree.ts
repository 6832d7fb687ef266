import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import { defaultGrace } from "./ProcessCommand.ts"
import * as ProcessTree from "./ProcessTree.ts"

/** Processes that another program starts for us. */
export interface AdoptedTree {
  /** What tells them from all others, for the environment of the first of them. */
  readonly variables: Readonly<Record<string, string>>
  /** Ends those that are left, and says how many; elsewhere than on Linux they cannot be found. */
  readonly end: Effect.Effect<ProcessTree.Ended>
}

/** Above the process ids of any system: who leads them is known to the other program alone. */
const nobody = Number.MAX_SAFE_INTEGER

/** Ends with the scope. */
export const make: Effect.Effect<AdoptedTree, never, Scope.Scope> = Effect.gen(function* () {
  const marker = `${randomUUID()}.1.`
  const tree = { leader: nobody, started: 0, marker, hasExited: () => true, supervised: false }
  const end = Effect.uninterruptible(Effect.suspend(() => ProcessTree.ender(tree, defaultGrace)))
  yield* Effect.addFinalizer(() => end)
  return { variables: { [ProcessTree.markerName]: marker }, end }
})
