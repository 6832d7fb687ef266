import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { catchOwnCrash } from "../middleware/endOf.ts"
import type { ModelService } from "./Model.ts"
import { modelCrash } from "./modelCrash.ts"
import type { ModelCrashed } from "./ModelError.ts"
import { type Models, type ProfileError, ProfileInvalid } from "./Models.ts"
import type { RoutingDecision, RoutingRequest } from "./Routing.ts"

/** A crash of the code that routes is no model's. */
const routingCrash = (profile: string, cause: Cause.Cause<unknown>) =>
  Effect.zipRight(
    Effect.logError(`The code that routes profile ${profile} crashed`, cause),
    new ProfileInvalid({ profile, reason: "the code that routes it crashed. See the log." })
  )

/** Opens a profile; a crash of the code behind it is the model's own failure. */
export const openModel = (
  models: Models["Type"],
  profile: string
): Effect.Effect<ModelService, ProfileError | ModelCrashed> =>
  catchOwnCrash(
    Effect.suspend(() => models.get(profile)),
    (cause) => modelCrash(profile, cause)
  )

/** A model that serves, and how it was chosen where anything chooses. */
export interface Routed {
  readonly profile: string
  readonly model: ModelService
  readonly decision?: RoutingDecision
}

/** Opens the profile that routing selects. */
export const openRouted = (
  models: Models["Type"],
  request: RoutingRequest
): Effect.Effect<Routed, ProfileError | ModelCrashed> => {
  const { route } = models
  if (route === undefined) {
    return Effect.map(openModel(models, request.profile), (model) => ({ profile: request.profile, model }))
  }
  return Effect.gen(function* () {
    const decision = yield* catchOwnCrash(
      Effect.suspend(() => route(request)),
      (cause) => routingCrash(request.profile, cause)
    )
    const model = yield* openModel(models, decision.selected)
    return { profile: decision.selected, model, decision }
  })
}
