import type * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import { timeSpan } from "../system/wholeNumber.ts"
import type { Served } from "../telemetry/Served.ts"
import type { Origin } from "./Reason.ts"
import * as Url from "../text/Url.ts"

/** A server that answers for a model, and how to speak to it. */
export interface Endpoint {
  readonly model: string
  readonly baseUrl: string
  readonly apiKey?: Redacted.Redacted | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Further fields of the request's body; they win over our own. */
  readonly options?: Readonly<Record<string, unknown>> | undefined
  /** The longest the server may send nothing, 90 seconds by default. */
  readonly silenceTimeout?: Duration.DurationInput | undefined
}

export const silenceTimeout = (endpoint: Endpoint): Duration.Duration =>
  timeSpan(`Model ${endpoint.model}: silenceTimeout`, endpoint.silenceTimeout ?? "90 seconds")

/** The address of `path` below the base, whose query is kept; undefined where the base is no URL. */
export const urlOf = (endpoint: Endpoint, path: string): URL | undefined => {
  const url = Url.parsed(endpoint.baseUrl)
  if (url === undefined) return undefined
  url.pathname = url.pathname.replace(/\/+$/, "") + path
  return url
}

export const originOf = (endpoint: Endpoint): Origin => {
  const url = urlOf(endpoint, "")
  return {
    model: endpoint.model,
    url: url === undefined ? undefined : url.origin + url.pathname.replace(/\/+$/, ""),
    secrets: [
      ...(endpoint.apiKey === undefined ? [] : [endpoint.apiKey]),
      ...Object.values(endpoint.headers ?? {}).map((value) => Redacted.make(value))
    ]
  }
}

/** The model at the endpoint; `options` are added to every request. */
export const servedBy = (provider: string, { baseUrl: url, options = {} }: Endpoint): Served => ({
  provider,
  url,
  options
})
