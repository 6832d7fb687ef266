import * as Effect from "effect/Effect"
import type * as Tracer from "effect/Tracer"
import type { Middleware } from "./Middleware.ts"
import type { Named } from "./Named.ts"
import { named } from "./Step.ts"

export interface SpanOptions {
  readonly name: string
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly kind?: Tracer.SpanKind
}

/** One span around every call. Put it in the stack only where a tracer listens: a span costs more than all other steps. */
export const span = <Call extends Named>(describe: (call: Call) => SpanOptions): Middleware<Call> =>
  named<Call>("span", "", (call, next) => {
    const { name, ...options } = describe(call)
    return Effect.withSpan(
      Effect.suspend(() => next(call)),
      name,
      { ...options, captureStackTrace: false }
    )
  })
