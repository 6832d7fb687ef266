import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** A text could not be turned into a vector. */
export class EmbeddingFailed extends Schema.TaggedError<EmbeddingFailed>()("EmbeddingFailed", {
  model: Schema.String,
  reason: Schema.String,
  /** It is up and does not take these texts; others it may. */
  isRefused: Schema.optionalWith(Schema.Boolean, { exact: true, default: () => false })
}) {
  override get message() {
    return `The embedding model ${this.model} failed: ${this.reason}`
  }
}

/** What turns texts into vectors whose direction says what they mean. */
export interface Embedder {
  /** Stored beside each vector: those of different models are never compared. */
  readonly model: string
  /** Texts of one request at most. */
  readonly batch: number
  /** The cosine from which two texts count as similar. */
  readonly similar: number
  /** One vector for each text, of any length; all are zero for a text that says nothing. */
  readonly embed: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Float32Array>, EmbeddingFailed>
}

/** The embedder by which messages are found by what they mean, if there is one. */
export class Embeddings extends Context.Tag("tollgate/search/Embeddings")<Embeddings, Embedder | undefined>() {}
