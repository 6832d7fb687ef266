import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { ModelService } from "./Model.ts"
import { ModelCrashed } from "./ModelError.ts"
import type { Models, ProfileError } from "./Models.ts"

/** Opens a profile; a defect of the code behind it is the model's own failure. */
export const openModel = (
  models: Models["Type"],
  profile: string
): Effect.Effect<ModelService, ProfileError | ModelCrashed> =>
  Effect.catchAllDefect(
    Effect.suspend(() => models.get(profile)),
    (defect) =>
      Effect.zipRight(
        Effect.logError(`Model ${profile} crashed`, Cause.die(defect)),
        new ModelCrashed({ model: profile })
      )
  )
