import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Server } from "./candidates.ts"

/** The server does not list its models; the status is unset where nothing answered. */
export class ModelsUnlisted extends Schema.TaggedError<ModelsUnlisted>()("ModelsUnlisted", {
  status: Schema.optionalWith(Schema.Number, { exact: true })
}) {
  override get message() {
    return this.status === undefined ? "no server answers there" : `the server lists no models (HTTP ${this.status})`
  }
}

const List = Schema.parseJson(Schema.Struct({ data: Schema.Array(Schema.Struct({ id: Schema.NonEmptyString })) }))

/** Bytes of a list, and models of it. */
const limits = { bytes: 4 * 1024 * 1024, models: 5000 }

/** The models that a server lists, in its order. */
export const listModels = (
  { baseUrl, provider }: Server,
  key: string | undefined,
  patience: Duration.DurationInput
): Effect.Effect<ReadonlyArray<string>, ModelsUnlisted, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const http = yield* HttpClient.HttpClient
    const path = provider === "anthropic" ? "/v1/models?limit=1000" : "/models"
    const headers: Record<string, string> =
      key === undefined
        ? {}
        : provider === "anthropic"
          ? { "x-api-key": key, "anthropic-version": "2023-06-01" }
          : { authorization: `Bearer ${key}` }
    const response = yield* http.execute(HttpClientRequest.get(`${baseUrl}${path}`, { headers }))
    if (response.status !== 200) return yield* new ModelsUnlisted({ status: response.status })
    let read = 0
    const text = yield* response.stream.pipe(
      Stream.takeWhile((bytes) => (read += bytes.length) <= limits.bytes),
      Stream.decodeText(),
      Stream.mkString
    )
    const { data } = yield* Schema.decodeUnknown(List)(text)
    return [...new Set(data.map(({ id }) => id))].slice(0, limits.models)
  }).pipe(
    Effect.scoped,
    Effect.timeout(patience),
    Effect.catchAll((error) =>
      error._tag === "ModelsUnlisted"
        ? error
        : error._tag === "ParseError"
          ? new ModelsUnlisted({ status: 200 })
          : new ModelsUnlisted({})
    )
  )
