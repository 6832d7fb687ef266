import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { Approvals } from "../approval/Approvals.ts"
import { Runtime } from "../runtime/Runtime.ts"
import { SessionFenced, SessionStore } from "../runtime/SessionStore.ts"

/** The runtime of a test, which can die and be started again. */
export class Harness extends Context.Tag("tollgate/harness/Harness")<
  Harness,
  {
    /**
     * Drops the runtime as if its process were killed, and starts another over the same store: the first stores nothing
     * more, and its sessions are free. Its effects are interrupted, which a killed process could not do.
     */
    readonly restart: Effect.Effect<void>
  }
>() {}

type Services = Runtime | Approvals

/** A store until its owner dies: then its sessions are free and it accepts no writes. */
const mortal = (kept: SessionStore["Type"], life: Scope.Scope, isDead: () => boolean): SessionStore["Type"] => ({
  ...kept,
  open: (options) =>
    Effect.acquireRelease(Scope.fork(life, ExecutionStrategy.sequential), (held) => Scope.close(held, Exit.void)).pipe(
      Effect.flatMap((held) => Scope.extend(kept.open(options), held))
    ),
  append: (lease, events) =>
    Effect.suspend(() =>
      isDead() ? new SessionFenced({ session: lease.session, epoch: lease.epoch }) : kept.append(lease, events)
    )
})

/** Always the service of the runtime that lives. */
const latest = <S extends object>(current: () => S): S =>
  new Proxy<S>(Object.create(null) as S, { get: (_, key) => Reflect.get(current(), key) as unknown })

/** Runs what the layer makes over one store, for one life after the other. */
export const layer = <E, R>(
  live: Layer.Layer<Services, E, R | SessionStore>
): Layer.Layer<Services | Harness, E, Exclude<R, SessionStore> | SessionStore> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const outer = yield* Effect.scope
      const store = yield* SessionStore
      const context = yield* Effect.context<Exclude<R, SessionStore>>()
      const begin = Effect.gen(function* () {
        let dead = false
        const held = yield* Scope.fork(outer, ExecutionStrategy.sequential)
        const scope = yield* Scope.fork(outer, ExecutionStrategy.sequential)
        const own = Layer.succeed(
          SessionStore,
          mortal(store, held, () => dead)
        )
        const services = yield* Layer.buildWithScope(Layer.provide(live, own), scope)
        const die = Effect.suspend(() => {
          dead = true
          return Effect.zipRight(Scope.close(held, Exit.void), Effect.forkDaemon(Scope.close(scope, Exit.void)))
        })
        return { services, die }
      }).pipe(Effect.provide(context)) as Effect.Effect<
        { readonly services: Context.Context<Services>; readonly die: Effect.Effect<unknown> },
        E
      >
      let current = yield* begin
      const restart = Effect.suspend(() => current.die).pipe(
        Effect.zipRight(Effect.orDie(begin)),
        Effect.map((begun) => {
          current = begun
        })
      )
      return Context.make(Harness, { restart }).pipe(
        Context.add(
          Runtime,
          latest(() => Context.get(current.services, Runtime))
        ),
        Context.add(
          Approvals,
          latest(() => Context.get(current.services, Approvals))
        )
      )
    })
  ) as never
