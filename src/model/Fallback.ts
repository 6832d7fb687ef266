import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ModelRequest, ModelService } from "./Model.ts"
import type { ModelError } from "./ModelError.ts"
import type { ModelPart } from "./ModelPart.ts"
import type { ProfileError } from "./Models.ts"

/** Opens the next model of a list of fallbacks. */
export type Fallback = Effect.Effect<ModelService, ProfileError>

/** Another model may serve where one cannot; a request that a server judged and declined it would decline as well. */
const mayFallBack = (error: ModelError): boolean => error._tag !== "ModelRejected"

/**
 * Asks the fallbacks, one after the other, once the model before has failed for good; `AttemptFailed` says so in-band. A
 * fallback that cannot be opened is passed over, and if all fail the first error is the answer.
 */
export const withFallback =
  (fallbacks: ReadonlyArray<Fallback>) =>
  (model: ModelService): ModelService =>
    fallbacks.length === 0
      ? model
      : {
          ...model,
          stream: (request) => Stream.suspend(() => streamFrom(model, fallbacks, request, { attempts: 0 }))
        }

const streamFrom = (
  model: ModelService,
  fallbacks: ReadonlyArray<Fallback>,
  request: ModelRequest,
  seen: { attempts: number; first?: ModelError }
): Stream.Stream<ModelPart, ModelError> =>
  model.stream(request).pipe(
    Stream.map((part) => {
      if (part._tag === "Finished") return seen.first && model.served ? { ...part, served: model.served } : part
      if (part._tag !== "AttemptFailed") return part
      seen.attempts++
      return { ...part, attempt: seen.attempts }
    }),
    Stream.catchAll((error) => {
      seen.first ??= error
      return mayFallBack(error) ? next(fallbacks, request, seen, error) : Stream.fail(seen.first)
    })
  )

const next = (
  fallbacks: ReadonlyArray<Fallback>,
  request: ModelRequest,
  seen: { attempts: number; first?: ModelError },
  error: ModelError
): Stream.Stream<ModelPart, ModelError> => {
  const [open, ...rest] = fallbacks
  if (open === undefined) return Stream.fail(seen.first ?? error)
  return Stream.unwrap(
    Effect.match(open, {
      onFailure: () => next(rest, request, seen, error),
      onSuccess: (model) =>
        Stream.concat(
          Stream.sync((): ModelPart => {
            seen.attempts++
            return {
              _tag: "AttemptFailed",
              attempt: seen.attempts,
              reason: `${error.message} Falling back to ${model.name}.`,
              delayMillis: 0
            }
          }),
          streamFrom(model, rest, request, seen)
        )
    })
  )
}
