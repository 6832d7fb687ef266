import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { logCrash } from "../redaction/logCrash.ts"
import { effectFrom } from "../middleware/effectOf.ts"
import { catchOwnCrash } from "../middleware/endOf.ts"
import { lazy } from "../system/lazy.ts"
import type { ModelService } from "./Model.ts"
import { modelCrash } from "./modelCrash.ts"
import type { ModelCrashed } from "./ModelError.ts"
import { type Models, type ProfileError, ProfileInvalid } from "./Models.ts"
import type { RoutingDecision, RoutingRequest } from "./Routing.ts"

/** What is read of a model and of a decision; the compiler has not seen all code that gives them. */
const isProper = lazy(() => ({
  model: Schema.is(
    Schema.Struct({ name: Schema.NonEmptyString, stream: Schema.Unknown.pipe(Schema.filter(isFunction)) })
  ),
  decision: Schema.is(
    Schema.Struct({
      requested: Schema.String,
      selected: Schema.String,
      reason: Schema.String,
      weight: Schema.String,
      context: Schema.Object
    })
  )
}))
const isFunction = (value: unknown): boolean => typeof value === "function"

/** A crash of the code that routes is no model's. */
const routingCrash = (profile: string, cause: Cause.Cause<unknown>) =>
  Effect.zipRight(
    logCrash(`The code that routes profile ${profile} crashed`, cause),
    new ProfileInvalid({ profile, reason: "the code that routes it crashed. See the log." })
  )

/** Opens a profile; a crash of the code behind it is the model's own failure. */
export const openModel = (
  models: Models["Type"],
  profile: string
): Effect.Effect<ModelService, ProfileError | ModelCrashed> =>
  Effect.filterOrFail(
    catchOwnCrash(
      effectFrom("it", () => models.get(profile)),
      (cause) => modelCrash(profile, cause)
    ),
    (model) => isProper().model(model),
    () =>
      new ProfileInvalid({ profile, reason: "what the code that opens it gave is no model with a name and a stream." })
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
  const { profile } = request
  const { route } = models
  if (route === undefined) {
    return Effect.map(openModel(models, profile), (model) => ({ profile, model }))
  }
  return Effect.gen(function* () {
    const decision = yield* Effect.filterOrFail(
      catchOwnCrash(
        effectFrom("it", () => route(request)),
        (cause) => routingCrash(profile, cause)
      ),
      (decision) => isProper().decision(decision),
      () => new ProfileInvalid({ profile, reason: "what the code that routes it gave is no decision." })
    )
    const model = yield* openModel(models, decision.selected)
    return { profile: decision.selected, model, decision }
  })
}
