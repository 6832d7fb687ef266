import { afterAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type * as Scope from "effect/Scope"

type Test<R> = <A, E>(name: string, self: () => Effect.Effect<A, E, R>, timeout?: number) => void

/** Tests that run in real time and share what a layer makes. */
export interface Sharing<R> {
  readonly effect: Test<R>
  readonly scoped: Test<R | Scope.Scope>
}

/** Tests over one layer. The library's own `layer` leaves its `it` without a test clock for all files that follow in a worker. */
export const sharing =
  <R, E>(made: Layer.Layer<R, E>) =>
  (name: string, tests: (it: Sharing<R>) => void): void =>
    void describe(name, () => {
      const runtime = ManagedRuntime.make(made)
      afterAll(() => runtime.dispose())
      tests({
        effect: (name, self, timeout) => it.live(name, () => Effect.provide(self(), runtime), timeout),
        scoped: (name, self, timeout) => it.scopedLive(name, () => Effect.provide(self(), runtime), timeout)
      })
    })
