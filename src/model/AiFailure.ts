import type * as AiError from "@effect/ai/AiError"
import { isModelError, ModelCut, type ModelError, ModelRejected, ModelUnreachable } from "./ModelError.ts"
import { named, oneLine, ofCause, type Origin } from "./Reason.ts"
import { malformed, ofRefusal } from "./ServerFailure.ts"

/** An `AiError` as ours. Nothing of its request goes along: its headers hold the key. */
export const ofAiError = (origin: Origin, error: AiError.AiError, now: number): ModelError => {
  switch (error._tag) {
    case "HttpRequestError": {
      const reason = ofCause(origin, error.cause ?? error.description ?? error.reason)
      return error.reason === "Transport"
        ? new ModelUnreachable({ ...named(origin), reason })
        : new ModelRejected({ ...named(origin), reason })
    }
    case "HttpResponseError": {
      const { status, headers } = error.response
      if (error.reason === "StatusCode") return ofRefusal(origin, { status, headers, body: error.body ?? "" }, now)
      return new ModelCut({ ...named(origin), reason: oneLine(origin, error.description ?? "the stream broke") })
    }
    case "MalformedInput":
      return new ModelRejected({ ...named(origin), reason: oneLine(origin, error.description ?? "malformed input") })
    case "MalformedOutput":
      return isModelError()(error.cause)
        ? error.cause
        : malformed(origin, error.description ?? ofCause(origin, error.cause))
    case "UnknownError":
      return isModelError()(error.cause)
        ? error.cause
        : new ModelRejected({ ...named(origin), reason: oneLine(origin, error.description ?? "an unknown error") })
  }
}
