import * as OtlpSerialization from "@effect/opentelemetry/OtlpSerialization"
import * as OtlpTracer from "@effect/opentelemetry/OtlpTracer"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Layer from "effect/Layer"
import { version } from "../version.ts"

export interface OtlpOptions {
  /** The value of `OTEL_EXPORTER_OTLP_ENDPOINT`, e.g. `http://localhost:4318`. */
  readonly endpoint: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The value of `OTEL_EXPORTER_OTLP_HEADERS`: `key=value` pairs with commas between, each percent-encoded. */
export const headersOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split(",").flatMap((pair) => {
      const at = pair.indexOf("=")
      if (at < 1) return []
      return [[pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())]]
    })
  )

/** Exports spans by OTLP over HTTP with JSON; what is pending goes out when the layer ends. */
export const layer = ({ endpoint, headers = {} }: OtlpOptions): Layer.Layer<never, never, HttpClient.HttpClient> =>
  OtlpTracer.layer({
    url: `${endpoint.replace(/\/+$/, "")}/v1/traces`,
    resource: { serviceName: "tollgate", serviceVersion: version },
    headers
  }).pipe(Layer.provide(OtlpSerialization.layerJson))
