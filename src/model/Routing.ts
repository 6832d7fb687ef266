import * as Effect from "effect/Effect"

/** What a task or a worker asks of the models. */
export interface RoutingRequest {
  /** The profile of the session, or that of a named worker. */
  readonly profile: string
  /** How heavy the work is, as whoever gives it says. Default: "normal". */
  readonly weight?: string
  /** Where it is done: `session`, `project`, `task`, `worker`, and what the models add. */
  readonly context: Readonly<Record<string, unknown>>
}

/** Which profile serves, and why. */
export interface RoutingDecision {
  /** The profile that was asked for. */
  readonly requested: string
  /** The profile that serves, unless a later hook changes it. */
  readonly selected: string
  readonly reason: string
  /** How heavy the work is, in the terms of the configuration. Initially "normal". */
  readonly weight: string
  readonly context: Readonly<Record<string, unknown>>
}

/** Sees each decision after configuration has made it and before any fallback; what it returns the next hook sees. */
export type RoutingHook = (decision: RoutingDecision) => Effect.Effect<RoutingDecision>

/** Decides which profile serves a request. */
export type Router = (request: RoutingRequest) => Effect.Effect<RoutingDecision>

const ordinary = "normal"

/** What the configuration says: the profile that was asked for, or the one of the weight that was given. */
const configured = (
  { context, profile, weight = ordinary }: RoutingRequest,
  weights: Readonly<Record<string, string>>
): RoutingDecision => {
  const selected = Object.hasOwn(weights, weight) ? weights[weight] : undefined
  return {
    requested: profile,
    selected: selected ?? profile,
    reason:
      selected !== undefined
        ? `profile of the weight ${weight}`
        : weight === ordinary
          ? "configured"
          : `no profile for the weight ${weight}`,
    weight,
    context
  }
}

/** Runs the hooks in the order of their registration. What was requested stays as it was. */
export const router =
  (hooks: ReadonlyArray<RoutingHook>, weights: Readonly<Record<string, string>> = {}): Router =>
  (request) =>
    Effect.reduce(hooks, configured(request, weights), (current, hook) =>
      Effect.map(hook(current), (changed) => ({ ...changed, requested: request.profile }))
    )
