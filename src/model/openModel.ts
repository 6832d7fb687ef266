import * as Effect from "effect/Effect"
import { catchOwnEnd } from "../middleware/endOf.ts"
import type { ModelService } from "./Model.ts"
import { modelCrash } from "./modelCrash.ts"
import type { ModelCrashed } from "./ModelError.ts"
import { type Models, type ProfileError, ProfileInvalid } from "./Models.ts"
import type { RoutingDecision, RoutingRequest } from "./Routing.ts"

/** A crash of the code behind a profile is the model's own failure. */
const contained =
  (profile: string) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | ModelCrashed, R> =>
    catchOwnEnd(self, (cause, end): Effect.Effect<never, E | ModelCrashed> =>
      end === "crashed" ? modelCrash(profile, cause) : Effect.failCause(cause)
    )

/** A crash of the code that routes is no model's. */
const routed =
  (profile: string) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | ProfileInvalid, R> =>
    catchOwnEnd(self, (cause, end): Effect.Effect<never, E | ProfileInvalid> =>
      end === "crashed"
        ? Effect.zipRight(
            Effect.logError(`The code that routes profile ${profile} crashed`, cause),
            new ProfileInvalid({ profile, reason: "the code that routes it crashed. See the log." })
          )
        : Effect.failCause(cause)
    )

/** Opens a profile. */
export const openModel = (
  models: Models["Type"],
  profile: string
): Effect.Effect<ModelService, ProfileError | ModelCrashed> =>
  Effect.suspend(() => models.get(profile)).pipe(contained(profile))

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
    const decision = yield* Effect.suspend(() => route(request)).pipe(routed(request.profile))
    const model = yield* openModel(models, decision.selected)
    return { profile: decision.selected, model, decision }
  })
}
