import * as LanguageModel from "@effect/ai/LanguageModel"
import type * as AiError from "@effect/ai/AiError"
import type * as Response from "@effect/ai/Response"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { timeSpan } from "../system/wholeNumber.ts"
import type { Served } from "../telemetry/Served.ts"
import * as AiAnswer from "./AiAnswer.ts"
import { ofAiError } from "./AiFailure.ts"
import { toPrompt } from "./AiPrompt.ts"
import { toToolkit } from "./AiTools.ts"
import { Model, type ModelRequest, type ModelService } from "./Model.ts"
import { ModelCut, ModelSilent, type ModelError } from "./ModelError.ts"
import type { ModelPart, Usage } from "./ModelPart.ts"
import { maximumAnswer } from "./PartBuffer.ts"
import { named, type Origin } from "./Reason.ts"
import { malformed, ofErrorObject } from "./ServerFailure.ts"

export interface AiLanguageModelOptions {
  readonly name: string
  /** Tags data that only this provider gets back with the next request. Default: "ai". */
  readonly backend?: string
  readonly url?: string | undefined
  readonly served?: Served
  /** What no error may repeat. */
  readonly secrets?: ReadonlyArray<Redacted.Redacted>
  /** The longest pause between two parts; without it only the provider's own guards apply. */
  readonly silenceTimeout?: Duration.DurationInput
  /** How the provider counts, where not like OpenAI. */
  readonly usage?: (finish: Response.FinishPart) => Usage
}

type AiParts = Stream.Stream<Response.AnyPart, AiError.AiError>

const ask = (languageModel: LanguageModel.Service, request: ModelRequest, origin: { backend: string; model: string }) =>
  languageModel.streamText({
    prompt: toPrompt(request.messages, origin),
    toolkit: toToolkit(request.functions),
    disableToolCallResolution: true
  }) as AiParts

/**
 * Any `@effect/ai` LanguageModel as a model, with what it lacks: a call that cannot be decoded becomes a part, an
 * `error` part or a missing finish fails the stream, errors hold no headers, and the provider's metadata is kept for
 * the next request.
 */
export const make = (languageModel: LanguageModel.Service, options: AiLanguageModelOptions): ModelService => {
  const origin: Origin = { model: options.name, url: options.url, secrets: options.secrets ?? [] }
  const replay = { backend: options.backend ?? "ai", model: options.name }
  const silence =
    options.silenceTimeout === undefined
      ? undefined
      : timeSpan(`AiLanguageModel ${options.name}: silenceTimeout`, options.silenceTimeout)

  const guard = (parts: Stream.Stream<Response.AnyPart, ModelError>) =>
    silence === undefined
      ? parts
      : Stream.timeoutFail(
          parts,
          () => new ModelSilent({ ...named(origin), silenceMillis: Duration.toMillis(silence) }),
          silence
        )

  const stream = (request: ModelRequest): Stream.Stream<ModelPart, ModelError> => {
    const known = new Set(request.functions.map(({ name }) => name))
    const answer = AiAnswer.make(replay, known, options.usage ?? AiAnswer.usageOf)
    let recovered = false

    const accept = (part: Response.AnyPart): Effect.Effect<ReadonlyArray<ModelPart>, ModelError> => {
      if (part.type === "error") return Effect.fail(ofErrorObject(origin, part.error))
      if (part.type === "finish" && part.reason === "error") {
        return Effect.fail(ofErrorObject(origin, "the model stopped with an error"))
      }
      const accepted = answer.accept(part)
      return answer.size() > maximumAnswer
        ? Effect.fail(malformed(origin, `an answer of more than ${maximumAnswer} characters`))
        : Effect.succeed(accepted === undefined ? [] : [accepted])
    }

    const recover = (error: AiError.AiError): Stream.Stream<never, ModelError> => {
      recovered = error._tag === "MalformedOutput" && answer.broken()
      return recovered
        ? Stream.empty
        : Stream.unwrap(Effect.map(Clock.currentTimeMillis, (now) => Stream.fail(ofAiError(origin, error, now))))
    }

    const end = Stream.suspend(() => {
      const parts = answer.end(recovered)
      return parts === undefined
        ? Stream.fail(new ModelCut({ ...named(origin), reason: "the stream ended before the model finished" }))
        : Stream.fromIterable(parts)
    })

    return ask(languageModel, request, replay).pipe(
      Stream.catchAll(recover),
      guard,
      Stream.mapEffect(accept),
      Stream.flattenIterables,
      Stream.concat(end)
    )
  }

  return {
    name: options.name,
    ...(options.served && { served: options.served }),
    stream: (request) => Stream.suspend(() => stream(request))
  }
}

/** Serves the LanguageModel of the context. */
export const layer = (options: AiLanguageModelOptions): Layer.Layer<Model, never, LanguageModel.LanguageModel> =>
  Layer.effect(
    Model,
    Effect.map(LanguageModel.LanguageModel, (languageModel) => make(languageModel, options))
  )
