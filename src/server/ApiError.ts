import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"

/** A sentence for a person. */
export const said = { message: Schema.String.pipe(Schema.pattern(/\S/)) }
const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** No token, or none that counts. */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()(
  "Unauthorized",
  said,
  HttpApiSchema.annotations({ status: 401 })
) {}

/** The token does not reach so far, or the request comes from a page or a name that is not ours. */
export class Forbidden extends Schema.TaggedError<Forbidden>()(
  "Forbidden",
  said,
  HttpApiSchema.annotations({ status: 403 })
) {}

/** There is no such thing; `error` is the tag of the error behind it, if there is one. */
export class NotFound extends Schema.TaggedError<NotFound>()(
  "NotFound",
  { ...said, error: optional(Schema.String) },
  HttpApiSchema.annotations({ status: 404 })
) {}

/** The path is known and takes other methods, which the header `Allow` names. */
export class MethodNotAllowed extends Schema.TaggedError<MethodNotAllowed>()(
  "MethodNotAllowed",
  said,
  HttpApiSchema.annotations({ status: 405 })
) {}

/** Something else holds: another owner, another digest, another state; nothing was changed. */
export class Conflict extends Schema.TaggedError<Conflict>()(
  "Conflict",
  {
    ...said,
    error: optional(Schema.String),
    /** The process that has the session open. */
    owner: optional(Schema.Number)
  },
  HttpApiSchema.annotations({ status: 409 })
) {}

/** It was there and is over. */
export class Gone extends Schema.TaggedError<Gone>()(
  "Gone",
  {
    ...said,
    error: optional(Schema.String),
    /** The number of the last event of the session. */
    head: optional(Schema.Number)
  },
  HttpApiSchema.annotations({ status: 410 })
) {}

/** The body is larger than the limit, in bytes. */
export class TooLarge extends Schema.TaggedError<TooLarge>()(
  "TooLarge",
  { ...said, limit: Schema.Number },
  HttpApiSchema.annotations({ status: 413 })
) {}

/** A body that is not `application/json`. */
export class UnsupportedMedia extends Schema.TaggedError<UnsupportedMedia>()(
  "UnsupportedMedia",
  said,
  HttpApiSchema.annotations({ status: 415 })
) {}

/** What was asked for is well-formed and was not carried out. */
export class Rejected extends Schema.TaggedError<Rejected>()(
  "Rejected",
  { ...said, error: optional(Schema.String) },
  HttpApiSchema.annotations({ status: 422 })
) {}

/** A path that only a WebSocket answers. */
export class UpgradeRequired extends Schema.TaggedError<UpgradeRequired>()(
  "UpgradeRequired",
  said,
  HttpApiSchema.annotations({ status: 426 })
) {}

/** Too many requests; `retryAfter` says in how many seconds to come again, as the header `Retry-After` does. */
export class TooManyRequests extends Schema.TaggedError<TooManyRequests>()(
  "TooManyRequests",
  { ...said, retryAfter: Schema.Number },
  HttpApiSchema.annotations({ status: 429 })
) {}

/** A fault of Tollgate or of its store; the log says more. */
export class Failed extends Schema.TaggedError<Failed>()("Failed", said, HttpApiSchema.annotations({ status: 500 })) {}

/** The runtime has no room or stops; `retryAfter` as above. */
export class Unavailable extends Schema.TaggedError<Unavailable>()(
  "Unavailable",
  { ...said, error: optional(Schema.String), retryAfter: Schema.Number },
  HttpApiSchema.annotations({ status: 503 })
) {}

/** Why a command of the runtime was not carried out. */
export const Refusal = Schema.Union(NotFound, Conflict, Gone, Rejected)
