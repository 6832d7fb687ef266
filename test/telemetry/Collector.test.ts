import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Duration, Effect, Option } from "effect"
import * as Collector from "../../src/telemetry/Collector.ts"

const reading = (variables: Readonly<Record<string, string>>) =>
  Effect.runSync(
    Effect.map(
      Effect.withConfigProvider(Collector.fromEnvironment, ConfigProvider.fromMap(new Map(Object.entries(variables)))),
      Option.getOrUndefined
    )
  )

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://localhost:4318" }

describe("Collector", () => {
  it("is none unless an endpoint is set, or where spans are switched off (T11)", () => {
    for (const variables of [
      {},
      { OTEL_EXPORTER_OTLP_ENDPOINT: "" },
      { OTEL_EXPORTER_OTLP_HEADERS: "a=b", OTEL_SERVICE_NAME: "agent" },
      { ...endpoint, OTEL_SDK_DISABLED: "TRUE" },
      { ...endpoint, OTEL_TRACES_EXPORTER: "none" },
      { ...endpoint, OTEL_TRACES_EXPORTER: "console,zipkin" }
    ])
      assert.isUndefined(reading(variables), JSON.stringify(variables))
    for (const variables of [{ OTEL_SDK_DISABLED: "false" }, { OTEL_TRACES_EXPORTER: "console, otlp" }])
      assert.isDefined(reading({ ...endpoint, ...variables }), JSON.stringify(variables))
  })

  it("has the address of traces as it is, and that of all signals with the path of traces (T11)", () => {
    const url = (variables: Readonly<Record<string, string>>) => reading(variables)?.url
    assert.strictEqual(url(endpoint), "http://localhost:4318/v1/traces")
    assert.strictEqual(
      url({ OTEL_EXPORTER_OTLP_ENDPOINT: "https://in.example/otlp/" }),
      "https://in.example/otlp/v1/traces"
    )
    assert.strictEqual(
      url({ ...endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://in.example/spans" }),
      "https://in.example/spans"
    )
  })

  it("knows what it was asked to speak and does not (T11)", () => {
    const protocol = (value: string) => reading({ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: value })?.otherProtocol
    assert.deepStrictEqual(["http/json", "grpc", "http/protobuf"].map(protocol), [undefined, "grpc", "http/protobuf"])
  })

  it("prefers what is said of traces to what is said of everything (T11)", () => {
    const found = reading({
      ...endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: "api-key=all",
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: "api-key=traces",
      OTEL_EXPORTER_OTLP_TIMEOUT: "1",
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "250"
    })
    assert.deepStrictEqual(found?.headers, { "api-key": "traces" })
    assert.deepStrictEqual(found?.timeout, Duration.millis(250))
    assert.isUndefined(reading({ ...endpoint, OTEL_EXPORTER_OTLP_TIMEOUT: "soon" })?.timeout)
  })

  it("reads pairs as the specification writes them, and passes over what is none (T11)", () => {
    assert.deepStrictEqual(Collector.pairsOf("api-key=a%20b, x=1,broken,=2,bad=%zz,e=a=b"), {
      "api-key": "a b",
      x: "1",
      e: "a=b"
    })
  })

  it("asks for content only in words that mean it (T11)", () => {
    const content = (value: string) =>
      reading({ ...endpoint, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: value })?.content
    for (const value of ["true", "True", "1", "span_only", "SPAN_AND_EVENT"]) assert.isTrue(content(value), value)
    for (const value of ["", "false", "0", "no_content", "event_only", "perhaps"]) assert.isFalse(content(value), value)
  })
})
