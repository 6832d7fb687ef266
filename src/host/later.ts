import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Foresee } from "../approval/Ahead.ts"
import type { CallRequest } from "../gate/CallRequest.ts"
import type * as Toolset from "../gate/Toolset.ts"
import type * as Equipment from "./Equipment.ts"

/** A toolset whose requirements are made with its first call. */
export const later = <E, R, A, E2>(
  toolset: Toolset.Toolset<E, R>,
  requirements: Effect.Effect<Context.Context<A>, E2>,
  { within }: Equipment.Equipment
) => ({
  ...toolset,
  call: (request: CallRequest) =>
    Effect.flatMap(requirements, (built) => Effect.provide(toolset.call(request), built)).pipe(
      within(request.sessionId)
    ),
  foresee: (request: CallRequest, foresee: Foresee) =>
    Effect.flatMap(Effect.option(requirements), (built) =>
      Option.isNone(built) ? Effect.succeed(undefined) : Effect.provide(toolset.foresee(request, foresee), built.value)
    ).pipe(within(request.sessionId))
})
