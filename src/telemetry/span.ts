import * as Effect from "effect/Effect"
import type * as Tracer from "effect/Tracer"
import type { CommandCall } from "../middleware/CommandCall.ts"
import type { Middleware } from "../middleware/Middleware.ts"
import type { Named } from "../middleware/Named.ts"
import { named } from "../middleware/Step.ts"
import { traced } from "./traced.ts"

export interface SpanOptions {
  readonly name: string
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly kind?: Tracer.SpanKind
}

/**
 * One span around every call, of a failure only its type in it. Put it in the stack only where a tracer listens: a span
 * costs more than all other steps.
 */
export const span = <Call extends Named>(describe: (call: Call) => SpanOptions): Middleware<Call> =>
  named<Call>("span", "", (call, next) => Effect.suspend(() => traced(describe(call), () => next(call))))

/** A span around every command. */
export const commandSpan = span<CommandCall>(({ name }) => ({
  name: `command ${name}`,
  attributes: { "tollgate.command": name }
}))
