import { Effect, ExecutionStrategy, Exit, Scope } from "effect"
import { SessionBusy, type SessionStore } from "../../src/runtime/SessionStore.ts"

/** A store for owners that die and go on writing all the same: their sessions are then anybody's, as far as others can see. */
export const mortal = (kept: SessionStore["Type"]) =>
  Effect.gen(function* () {
    const outer = yield* Effect.scope
    let current: { readonly life: Scope.CloseableScope; dead: boolean } | undefined
    /** The store as the next owner has it. */
    const born = Effect.map(Scope.fork(outer, ExecutionStrategy.sequential), (life): SessionStore["Type"] => {
      const own = { life, dead: false }
      current = own
      return {
        ...kept,
        open: (options) =>
          Effect.suspend(() =>
            own.dead
              ? new SessionBusy({ session: options.session, pid: 0 })
              : Effect.flatMap(
                  Effect.acquireRelease(Scope.fork(life, ExecutionStrategy.sequential), (held) =>
                    Scope.close(held, Exit.void)
                  ),
                  (held) => Scope.extend(kept.open(options), held)
                )
          )
      }
    })
    /** Others can have the sessions of the owner that was born last, which does not know it. */
    const lose = Effect.suspend(() => (current === undefined ? Effect.void : Scope.close(current.life, Exit.void)))
    /** It takes no session any more and has none. */
    const die = Effect.suspend(() => {
      if (current !== undefined) current.dead = true
      return lose
    })
    return { born, die, lose }
  })
