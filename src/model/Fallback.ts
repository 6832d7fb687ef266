import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { logCrash } from "../redaction/logCrash.ts"
import { catchOwnEnd } from "../middleware/endOf.ts"
import { ask } from "./ask.ts"
import type { ModelRequest, ModelService } from "./Model.ts"
import type { ModelError } from "./ModelError.ts"
import type { ProfileError } from "./Models.ts"
import { type Refused, stream, type Tell, unnumbered } from "./Push.ts"

/** Opens the next model of a list of fallbacks. */
export type Fallback = Effect.Effect<ModelService, ProfileError>

/** Statuses of a server that does not have the model: no word on the request. */
const unknownModel: ReadonlySet<number | undefined> = new Set([404, 410])

const mayFallBack = (error: ModelError): boolean =>
  error._tag === "ModelRejected" ? unknownModel.has(error.status) : error._tag !== "ModelContextExceeded"

/**
 * Asks the fallbacks in order, once the model before has failed for good or crashed; `AttemptFailed` says so in the stream.
 * A fallback that cannot be opened is skipped, and if all fail the first error is the answer. A request that a server judged
 * and declined (`ModelRejected` but for HTTP 404 and 410) is not asked again: others would decline it as well; nor is one that
 * is too long (`ModelContextExceeded`), which the runtime makes shorter.
 */
export const withFallback =
  (fallbacks: ReadonlyArray<Fallback>) =>
  (model: ModelService): ModelService =>
    fallbacks.length === 0
      ? model
      : {
          ...model,
          stream: (request) => stream((tell) => Effect.suspend(() => from(model, fallbacks, request, tell, {})))
        }

interface Seen {
  first?: ModelError
}

type Told = Effect.Effect<void, ModelError | Refused>

const from = (
  model: ModelService,
  fallbacks: ReadonlyArray<Fallback>,
  request: ModelRequest,
  tell: Tell,
  seen: Seen
): Told => {
  const heard: Tell = (part) =>
    tell(part._tag === "Finished" && seen.first && model.served ? { ...part, served: model.served } : part)
  return Effect.catchAll(Effect.asVoid(ask(model, request, heard)), (error) => {
    if (error._tag === "Refused") return Effect.fail(error)
    seen.first ??= error
    return mayFallBack(error) ? next(fallbacks, request, tell, seen, error) : Effect.fail(seen.first)
  })
}

const next = (
  fallbacks: ReadonlyArray<Fallback>,
  request: ModelRequest,
  tell: Tell,
  seen: Seen,
  error: ModelError
): Told => {
  const [open, ...rest] = fallbacks
  if (open === undefined) return Effect.fail(seen.first ?? error)
  const opened = catchOwnEnd(Effect.option(Effect.suspend(() => open)), (cause) =>
    Effect.as(logCrash("A fallback crashed as it was opened", cause), Option.none<ModelService>())
  )
  return Effect.flatMap(
    opened,
    Option.match({
      onNone: () => next(rest, request, tell, seen, error),
      onSome: (model) => {
        const { served: _, stream: __, ...next } = model
        const reason = `${error.message} Falling back to ${model.name}.`
        return Effect.zipRight(
          tell({ _tag: "AttemptFailed", attempt: unnumbered, reason, delayMillis: 0, next }),
          Effect.suspend(() => from(model, rest, request, tell, seen))
        )
      }
    })
  )
}
