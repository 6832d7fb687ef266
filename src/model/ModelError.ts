import * as Schema from "effect/Schema"
import { lazy } from "../system/lazy.ts"
import { sentence } from "../text/sentence.ts"
import { duration } from "../text/duration.ts"

const origin = { model: Schema.String, url: Schema.optionalWith(Schema.String, { exact: true }) }

/** No answer at all: connection refused, unknown host, broken TLS. */
export class ModelUnreachable extends Schema.TaggedError<ModelUnreachable>()("ModelUnreachable", {
  ...origin,
  reason: Schema.String,
  /** The server was reached and its certificate refused. */
  certificate: Schema.optionalWith(Schema.Boolean, { exact: true })
}) {
  get retryable(): boolean {
    return this.certificate !== true
  }
  override get message() {
    return `Cannot reach model ${this.model}${this.url === undefined ? "" : ` at ${this.url}`}: ${sentence(this.reason)} Check the network and the profile's baseUrl.`
  }
}

/** The server refused the credentials (401, 403). */
export class ModelUnauthorized extends Schema.TaggedError<ModelUnauthorized>()("ModelUnauthorized", {
  ...origin,
  status: Schema.Number,
  reason: Schema.String
}) {
  readonly retryable = false
  override get message() {
    return `Model ${this.model} refused the credentials (HTTP ${this.status}): ${sentence(this.reason)} Check the API key of the profile.`
  }
}

/** Unavailable, and what Anthropic calls overloaded. */
const overloaded: ReadonlySet<number> = new Set([503, 529])

/** The server is busy or broken for now (408, 409, 425, 429, 5xx); `retryAfterMillis` is its own word. */
export class ModelOverloaded extends Schema.TaggedError<ModelOverloaded>()("ModelOverloaded", {
  ...origin,
  status: Schema.Number,
  reason: Schema.String,
  retryAfterMillis: Schema.optionalWith(Schema.Number, { exact: true })
}) {
  readonly retryable = true
  override get message() {
    const what =
      this.status === 429
        ? "has reached its rate limit"
        : overloaded.has(this.status)
          ? "is overloaded"
          : "failed at its server"
    const wait = this.retryAfterMillis === undefined ? "" : ` It asks to wait ${duration(this.retryAfterMillis)}.`
    return `Model ${this.model} ${what} (HTTP ${this.status}): ${sentence(this.reason)}${wait}`
  }
}

/** The server understood and declined (other 4xx, an `error` frame). */
export class ModelRejected extends Schema.TaggedError<ModelRejected>()("ModelRejected", {
  ...origin,
  status: Schema.optionalWith(Schema.Number, { exact: true }),
  reason: Schema.String
}) {
  readonly retryable = false
  override get message() {
    return this.status === undefined
      ? `Model ${this.model} rejected the request: ${this.reason}`
      : `Model ${this.model} rejected the request (HTTP ${this.status}): ${sentence(this.reason)} Check the profile's baseUrl and model.`
  }
}

/** The request is longer than the model takes. */
export class ModelContextExceeded extends Schema.TaggedError<ModelContextExceeded>()("ModelContextExceeded", {
  ...origin,
  status: Schema.optionalWith(Schema.Number, { exact: true }),
  reason: Schema.String
}) {
  readonly retryable = false
  override get message() {
    return `The conversation is longer than model ${this.model} takes: ${sentence(this.reason)} Replace it with a summary (/compact), or start a new session.`
  }
}

/** The stream ended before the model had finished. */
export class ModelCut extends Schema.TaggedError<ModelCut>()("ModelCut", { ...origin, reason: Schema.String }) {
  readonly retryable = true
  override get message() {
    return `The answer of model ${this.model} was cut off: ${sentence(this.reason)} It was not stored.`
  }
}

/** Nothing came for longer than the profile allows. */
export class ModelSilent extends Schema.TaggedError<ModelSilent>()("ModelSilent", {
  ...origin,
  silenceMillis: Schema.Number
}) {
  readonly retryable = true
  override get message() {
    return `Model ${this.model} sent nothing for ${duration(this.silenceMillis)}. Raise the profile's silenceTimeout if it is that slow.`
  }
}

/** What came is not what the protocol says. */
export class ModelMalformed extends Schema.TaggedError<ModelMalformed>()("ModelMalformed", {
  ...origin,
  reason: Schema.String
}) {
  readonly retryable = false
  override get message() {
    return `Model ${this.model} broke its protocol: ${sentence(this.reason)} Check the profile's provider and baseUrl.`
  }
}

/** The code of the model threw, or gave what no type allows: a bug in it, not an answer of its server. */
export class ModelCrashed extends Schema.TaggedError<ModelCrashed>()("ModelCrashed", { model: Schema.String }) {
  readonly retryable = false
  override get message() {
    return `Model ${this.model} crashed: a bug in its code. See the log.`
  }
}

export const ModelError = Schema.Union(
  ModelUnreachable,
  ModelUnauthorized,
  ModelOverloaded,
  ModelRejected,
  ModelContextExceeded,
  ModelCut,
  ModelSilent,
  ModelMalformed,
  ModelCrashed
)
export type ModelError = typeof ModelError.Type

/** Whether something is a failure that a model may have. */
export const isModelError = lazy(() => Schema.is(ModelError))
