import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { CostError } from "../cost/CostError.ts"
import { isModelError, type ModelError } from "./ModelError.ts"
import type { ModelPart } from "./ModelPart.ts"

/** The consumer takes no more parts; not a failure of the model, so nothing retries. */
export class Refused extends Data.TaggedError("Refused")<{ readonly error: ModelError | CostError }> {}

export type Tell = (part: ModelPart) => Effect.Effect<void, Refused>

/** Gives an answer part by part, without a stream: most of what an agent step costs would be a run of one. */
export type Push = (tell: Tell) => Effect.Effect<void, ModelError | Refused>

const pushes = new WeakMap<object, Push>()

/** Parts that wait for a reader of the stream. */
const waiting = 16

/** In place of the number of an attempt, where it is `stream` that numbers it. */
export const unnumbered = 0

/** Numbers the attempts as they are told of: who asks again may ask a model that asks again itself. */
const numbered = (tell: Tell): Tell => {
  let attempt = 0
  return (part) => tell(part._tag === "AttemptFailed" ? { ...part, attempt: ++attempt } : part)
}

/** The stream of the pushed parts, their attempts numbered; `run` does without it, and anything made from the stream is an ordinary stream. */
export const stream = (given: Push): Stream.Stream<ModelPart, ModelError> => {
  const push: Push = (tell) => given(numbered(tell))
  const made = Stream.unwrapScoped(
    Effect.gen(function* () {
      const mailbox = yield* Mailbox.make<ModelPart, ModelError>(waiting)
      yield* push((part) => Effect.asVoid(mailbox.offer(part))).pipe(
        // Whoever reads the stream refuses nothing, so what is told here is the model's.
        Effect.catchTag("Refused", ({ error }) => (isModelError()(error) ? Effect.fail(error) : Effect.die(error))),
        Mailbox.into(mailbox),
        Effect.forkScoped
      )
      return Mailbox.toStream(mailbox)
    })
  )
  pushes.set(made, push)
  return made
}

/** `Stream.runForEach` without the channel executor of a sink. */
const consume = (parts: Stream.Stream<ModelPart, ModelError>, tell: Tell): Effect.Effect<void, ModelError | Refused> =>
  Effect.scoped(
    Effect.flatMap(Stream.toPull(parts), (pull) =>
      pull.pipe(
        Effect.flatMap((some) => Effect.mapError(Effect.forEach(some, tell, { discard: true }), Option.some)),
        Effect.forever,
        Effect.catchAll(
          Option.match({ onNone: () => Effect.void, onSome: (error: ModelError | Refused) => Effect.fail(error) })
        )
      )
    )
  )

/** Tells of all parts of a stream, in order. */
export const run = (
  parts: Stream.Stream<ModelPart, ModelError>,
  tell: Tell
): Effect.Effect<void, ModelError | Refused> => pushes.get(parts)?.(tell) ?? consume(parts, tell)
