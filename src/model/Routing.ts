import * as Effect from "effect/Effect"

/** Which profile serves, and why. */
export interface RoutingDecision {
  /** The profile that was asked for. */
  readonly requested: string
  /** The profile that serves, unless a later hook changes it. */
  readonly selected: string
  readonly reason: string
  /** How heavy the task is, in the terms of the configured hooks. Initially "normal". */
  readonly weight: string
  readonly context: Readonly<Record<string, unknown>>
}

/** Sees each decision after configuration has made it and before any fallback; what it returns the next hook sees. */
export type RoutingHook = (decision: RoutingDecision) => Effect.Effect<RoutingDecision>

export const configured = (profile: string, context: RoutingDecision["context"]): RoutingDecision => ({
  requested: profile,
  selected: profile,
  reason: "configured",
  weight: "normal",
  context
})

/** Runs the hooks in the order of their registration. What was requested stays as it was. */
export const route = (hooks: ReadonlyArray<RoutingHook>, decision: RoutingDecision): Effect.Effect<RoutingDecision> =>
  Effect.reduce(hooks, decision, (current, hook) =>
    Effect.map(hook(current), (changed) => ({ ...changed, requested: decision.requested }))
  )
