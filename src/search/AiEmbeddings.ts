import { EmbeddingModel } from "@effect/ai/EmbeddingModel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Redactor } from "../redaction/Redactor.ts"
import { EmbeddingFailed, Embeddings } from "./Embeddings.ts"

export interface AiOptions {
  /** Stored beside each vector: another name makes vectors anew. */
  readonly model: string
  /** The cosine from which two texts count as similar; it depends on the model. Default: 0.3. */
  readonly similar?: number
}

/** Meaning by an `EmbeddingModel` of `@effect/ai`. */
export const layer = ({ model, similar = 0.3 }: AiOptions): Layer.Layer<Embeddings, never, EmbeddingModel> =>
  Layer.effect(
    Embeddings,
    Effect.gen(function* () {
      const embedding = yield* EmbeddingModel
      const redactor = yield* Redactor
      return {
        model,
        batch: 32,
        similar,
        embed: (texts) =>
          embedding.embedMany(texts.map(redactor.text)).pipe(
            Effect.map((vectors) => vectors.map((vector) => Float32Array.from(vector))),
            // The JSON of what is below the message holds the key.
            Effect.mapError((error) => new EmbeddingFailed({ model, reason: redactor.text(error.message) }))
          )
      }
    })
  )
