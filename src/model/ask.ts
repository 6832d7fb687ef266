import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import { misgiven } from "../middleware/effectOf.ts"
import { catchOwnEnd } from "../middleware/endOf.ts"
import type { ModelRequest, ModelService } from "./Model.ts"
import { modelCrash } from "./modelCrash.ts"
import { isModelError, ModelCut, type ModelError } from "./ModelError.ts"
import type { Finished } from "./ModelPart.ts"
import { partFault } from "./partFault.ts"
import { Refused, run, type Tell } from "./Push.ts"
import { unicodeRequest } from "./unicodeRequest.ts"

/** What a model gives as its answer, where it is a stream. */
const streamOf = (given: ReturnType<ModelService["stream"]>): typeof given => {
  if (Predicate.hasProperty(given, Stream.StreamTypeId)) return given
  throw misgiven("it", given, "a Stream")
}

/** Whether a failure is of those that a model may have; the compiler has not seen every model. */
const isTyped = (cause: Cause.Cause<ModelError | Refused>): boolean =>
  Option.exists(Cause.failureOption(cause), (error) => error instanceof Refused || isModelError()(error))

/**
 * Asks a model, tells of all parts of its answer, and gives the last. A stream that ends without `Finished` is `ModelCut`;
 * a defect in the model's code is `ModelCrashed`, with its cause in the log, as is what no type allows of it; a defect in
 * the code that is told stays one.
 */
export const ask = (
  model: ModelService,
  request: ModelRequest,
  tell: Tell
): Effect.Effect<Finished, ModelError | Refused> =>
  Effect.suspend(() => {
    let finished: Finished | undefined
    /** Whether a part is being told of, in code that is not the model's. */
    let telling = false
    const told = () => {
      telling = false
    }
    const heard: Tell = (part) => {
      const fault = partFault(part)
      if (fault !== undefined) return Effect.dieMessage(fault)
      telling = true
      if (part._tag === "Finished") finished = part
      else if (part._tag === "AttemptFailed") finished = undefined
      return Effect.map(tell(part), told)
    }
    const asked = Effect.suspend(() => run(streamOf(model.stream(unicodeRequest(request))), heard))
    return Effect.zipRight(
      catchOwnEnd(asked, (cause, end) =>
        !telling && (end === "crashed" || !isTyped(cause)) ? modelCrash(model.name, cause) : Effect.failCause(cause)
      ),
      Effect.suspend(() =>
        finished === undefined
          ? new ModelCut({ model: model.name, reason: "the stream ended without a finish" })
          : Effect.succeed(finished)
      )
    )
  })
