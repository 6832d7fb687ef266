import * as AiError from "@effect/ai/AiError"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { originOf, type Endpoint } from "./Endpoint.ts"
import * as EventStream from "./EventStream.ts"
import type { ModelError } from "./ModelError.ts"
import type { Origin } from "./Reason.ts"
import { malformed, maxChunkDepth, ofErrorObject } from "./ServerFailure.ts"
import { parseJson } from "../text/Json.ts"

export type Json = Readonly<Record<string, unknown>>

export const record = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {})

/** What distinguishes a provider's events. */
export interface Protocol<A, I> {
  readonly schema: Schema.Schema<A, I>
  /** Reduces an event to the fields that are read; unknown fields do no harm. */
  readonly trim: (event: Json) => Json
  /** The types of events without which an answer would lack something. */
  readonly essential: ReadonlySet<string>
  /** The types of events that end an answer. */
  readonly last: ReadonlySet<string>
}

/** Carries our errors through a provider's stream. */
const carry = (error: ModelError) =>
  new AiError.UnknownError({ module: "Tollgate", method: "events", description: error.message, cause: error })

const errorIn = (event: Json): unknown => {
  if (event["type"] === "response.failed") return record(event["response"])["error"] ?? "the response failed"
  return event["type"] === "error"
    ? (event["error"] ?? event)
    : event["type"] === undefined
      ? event["error"]
      : undefined
}

/**
 * A provider's own events over our transport: `post` answers with a stream whose errors, error events included, are
 * ours. An event that is not essential and does not decode is skipped.
 */
export const events = <A, I>(
  http: HttpClient.HttpClient,
  endpoint: Endpoint,
  post: Omit<EventStream.Post, "isLast">,
  protocol: Protocol<A, I>
): Stream.Stream<A, AiError.AiError> => {
  const origin = originOf(endpoint)
  const decode = Schema.decodeUnknownEither(protocol.schema)
  const isLast = (data: string) => {
    const start = data.slice(0, 200)
    for (const type of protocol.last) if (start.includes(`"${type}"`)) return typeOf(data) === type
    return false
  }
  const toEvent = (data: string): Either.Either<ReadonlyArray<A>, ModelError> =>
    Either.flatMap(parse(origin, data), (json) => {
      const error = errorIn(json)
      if (error !== undefined) return Either.left(ofErrorObject(origin, error))
      const event = decode(protocol.trim(json))
      if (Either.isRight(event)) return Either.right([event.right])
      const type = String(json["type"])
      return protocol.essential.has(type)
        ? Either.left(malformed(origin, `event ${type}: ${ParseResult.TreeFormatter.formatErrorSync(event.left)}`))
        : Either.right([])
    })
  return EventStream.events(http, endpoint, { ...post, isLast }).pipe(
    Stream.filter((data) => data.trim() !== "[DONE]"),
    Stream.mapEffect((data) => toEvent(data)),
    Stream.flattenIterables,
    Stream.mapError(carry)
  )
}

const parse = (origin: Origin, data: string): Either.Either<Json, ModelError> => {
  return Either.mapBoth(parseJson(data, maxChunkDepth), {
    onLeft: (why) =>
      malformed(origin, why === "too deep" ? `nested deeper than ${maxChunkDepth} levels` : `not JSON: ${data}`),
    onRight: record
  })
}

const typeOf = (data: string): unknown => {
  try {
    return record(JSON.parse(data))["type"]
  } catch {
    return undefined
  }
}

/** The results of calls go out as the text they are; providers would quote it as JSON. */
export const unquoted = (text: unknown): unknown => {
  if (typeof text !== "string" || !text.startsWith('"')) return text
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "string" ? value.toWellFormed() : text
  } catch {
    return text
  }
}
