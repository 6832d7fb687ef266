import * as OtlpSerialization from "@effect/opentelemetry/OtlpSerialization"
import * as OtlpTracer from "@effect/opentelemetry/OtlpTracer"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Redactor } from "../redaction/Redactor.ts"
import { version } from "../version.ts"
import { type Collector, tracesUnder } from "./Collector.ts"
import * as Outgoing from "./Outgoing.ts"
import { selective } from "./selective.ts"
import { mended } from "./mended.ts"

export interface OtlpOptions {
  /** The value of `OTEL_EXPORTER_OTLP_ENDPOINT`, e.g. `http://localhost:4318`. */
  readonly endpoint: string
  readonly headers?: Readonly<Record<string, string>>
}

/** How long the end of the layer waits for what is pending. */
export const flushTimeout = Duration.seconds(2)

const serialization = OtlpSerialization.OtlpSerialization.of({
  traces: (data) => HttpBody.unsafeJson(mended(data)),
  metrics: HttpBody.unsafeJson,
  logs: HttpBody.unsafeJson
})

/** A client that gives up in time and that, once `closing`, is not asked again: what it says then does not seem to pass. */
const patient = (client: HttpClient.HttpClient, timeout: Duration.Duration, closing: () => boolean) =>
  HttpClient.transform(client, (sending, request) => {
    const late = () =>
      new HttpClientError.RequestError({ request, reason: "Transport", description: "It took too long." })
    const timely = Effect.timeoutFail(sending, { duration: timeout, onTimeout: late })
    const final = () =>
      new HttpClientError.RequestError({ request, reason: "Encode", description: "There is no time." })
    return Effect.suspend(() =>
      closing()
        ? Effect.flatMap(timely, (response) => (response.status >= 400 ? final() : Effect.succeed(response))).pipe(
            Effect.mapError(final)
          )
        : timely
    )
  })

/**
 * Exports spans by OTLP over HTTP with JSON. Pending spans go out when the layer ends, which waits at most
 * `flushTimeout` for it, and not at all if nothing listens. A collector that fails is left alone for a minute.
 */
export const layerCollector = ({
  content = false,
  headers = {},
  resource = {},
  serviceName = "tollgate",
  timeout = Duration.seconds(10),
  url
}: Collector): Layer.Layer<never, never, HttpClient.HttpClient> =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      let closing = false
      const client = patient(yield* HttpClient.HttpClient, timeout, () => closing)
      const { ["service.name"]: _, ...attributes } = resource
      const tracer = yield* OtlpTracer.make({
        url,
        headers,
        resource: { serviceName, serviceVersion: version, attributes },
        shutdownTimeout: flushTimeout
      }).pipe(
        Effect.provideService(HttpClient.HttpClient, client),
        Effect.provideService(OtlpSerialization.OtlpSerialization, serialization),
        // It would read the variables of the resource again, and differently.
        Effect.withConfigProvider(ConfigProvider.fromMap(new Map()))
      )
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          closing = true
        })
      )
      return Layer.setTracer(selective(tracer, Outgoing.by(yield* Redactor), content))
    })
  )

/** Exports spans to a collector at this endpoint, without any content. */
export const layer = ({ endpoint, ...more }: OtlpOptions): Layer.Layer<never, never, HttpClient.HttpClient> =>
  layerCollector({ url: tracesUnder(endpoint), ...more })
