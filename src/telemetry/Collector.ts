import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** Who collects spans, and what they may be told. */
export interface Collector {
  /** Where spans are posted, e.g. `http://localhost:4318/v1/traces`. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** How long one request may take. Default: 10 seconds. */
  readonly timeout?: Duration.Duration
  /** Default: `tollgate`. */
  readonly serviceName?: string
  /** Further resource attributes of the sender. */
  readonly resource?: Readonly<Record<string, string>>
  /** The requested protocol, if other than HTTP with JSON, the only one supported. */
  readonly otherProtocol?: string
  /** Whether redacted parameters, results and error texts may leave. Default: false. */
  readonly content?: boolean
}

const decoded = (text: string): Option.Option<string> => {
  try {
    return Option.some(decodeURIComponent(text))
  } catch {
    return Option.none()
  }
}

/** `key=value` pairs with commas between, each percent-encoded; what is not one is passed over. */
export const pairsOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split(",").flatMap((pair) => {
      const at = pair.indexOf("=")
      const key = pair.slice(0, at).trim()
      if (at < 1 || key === "") return []
      return Option.toArray(Option.map(decoded(pair.slice(at + 1).trim()), (value) => [key, value] as const))
    })
  )

/** Under an endpoint for all signals, spans have a path of their own. */
export const tracesUnder = (endpoint: string): string => `${endpoint.replace(/\/+$/, "")}/v1/traces`

const variable = (name: string): Effect.Effect<string | undefined> =>
  Effect.map(Effect.option(Config.nonEmptyString(name)), (value) => Option.getOrUndefined(value)?.trim())

/** The protocol of the exporter. */
const spoken = "http/json"

/** The values that ask for content in spans; older instrumentations say yes or no, newer ones where to. */
const contentAsked = /^(?:true|1|yes|on|span_only|span_and_event)$/i

/** Two variables where the one about traces goes before the one about everything. */
const signal = (name: string) =>
  Effect.flatMap(variable(`OTEL_EXPORTER_OTLP_TRACES_${name}`), (own) =>
    own === undefined ? variable(`OTEL_EXPORTER_OTLP_${name}`) : Effect.succeed(own)
  )

/**
 * The collector that the `OTEL_…` variables name, as the OpenTelemetry specification reads them; none where no endpoint is
 * set or spans are switched off.
 */
export const fromEnvironment: Effect.Effect<Option.Option<Collector>> = Effect.gen(function* () {
  const own = yield* variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
  const base = yield* variable("OTEL_EXPORTER_OTLP_ENDPOINT")
  const url = own ?? (base === undefined ? undefined : tracesUnder(base))
  const disabled = (yield* variable("OTEL_SDK_DISABLED"))?.toLowerCase() === "true"
  const exporters = (yield* variable("OTEL_TRACES_EXPORTER"))?.split(",").map((name) => name.trim()) ?? ["otlp"]
  if (url === undefined || disabled || !exporters.includes("otlp")) return Option.none()

  const timeout = Number(yield* signal("TIMEOUT"))
  const resource = pairsOf((yield* variable("OTEL_RESOURCE_ATTRIBUTES")) ?? "")
  const serviceName = (yield* variable("OTEL_SERVICE_NAME")) ?? resource["service.name"]
  const protocol = (yield* signal("PROTOCOL"))?.toLowerCase() ?? spoken
  const content = yield* variable("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT")
  return Option.some({
    url,
    headers: pairsOf((yield* signal("HEADERS")) ?? ""),
    ...(timeout > 0 && { timeout: Duration.millis(timeout) }),
    ...(serviceName !== undefined && { serviceName }),
    resource,
    ...(protocol !== spoken && { otherProtocol: protocol }),
    content: content !== undefined && contentAsked.test(content)
  })
})
