import { NodeHttpClient } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Schema } from "effect"
import { layer as traces } from "../../src/telemetry/Traces.ts"
import * as Loopback from "../model/Loopback.ts"

const Attribute = Schema.Struct({
  key: Schema.String,
  value: Schema.Union(
    Schema.Struct({ stringValue: Schema.String }),
    Schema.Struct({ intValue: Schema.Number }),
    Schema.Struct({ doubleValue: Schema.Number }),
    Schema.Struct({ boolValue: Schema.Boolean }),
    Schema.Struct({
      arrayValue: Schema.Struct({ values: Schema.Array(Schema.Struct({ stringValue: Schema.String })) })
    })
  )
})
type Attribute = typeof Attribute.Type

const Event = Schema.Struct({ name: Schema.String, attributes: Schema.Array(Attribute) })

const Span = Schema.Struct({
  traceId: Schema.String,
  spanId: Schema.String,
  parentSpanId: Schema.optional(Schema.String),
  name: Schema.String,
  kind: Schema.Number,
  startTimeUnixNano: Schema.String,
  endTimeUnixNano: Schema.String,
  attributes: Schema.Array(Attribute),
  events: Schema.Array(Event),
  status: Schema.Struct({ code: Schema.Number, message: Schema.optional(Schema.String) })
})

/** An export request as the OTLP specification has it, as far as it is looked at. */
const Traces = Schema.Struct({
  resourceSpans: Schema.Array(
    Schema.Struct({
      resource: Schema.Struct({ attributes: Schema.Array(Attribute) }),
      scopeSpans: Schema.Array(Schema.Struct({ spans: Schema.Array(Span) }))
    })
  )
})

const valueOf = ({ value }: Attribute): unknown =>
  "arrayValue" in value ? value.arrayValue.values.map(({ stringValue }) => stringValue) : Object.values(value)[0]

const recordOf = (attributes: ReadonlyArray<Attribute>): Readonly<Record<string, unknown>> => {
  const keys = attributes.map(({ key }) => key)
  assert.deepStrictEqual(keys, [...new Set(keys)], "an attribute is told once")
  return Object.fromEntries(attributes.map((attribute) => [attribute.key, valueOf(attribute)]))
}

/** A span as a collector reads it. */
export interface Received extends Omit<typeof Span.Type, "attributes" | "events"> {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly events: ReadonlyArray<{ readonly name: string; readonly attributes: Readonly<Record<string, unknown>> }>
  /** The name of its parent, `undefined` for a root. */
  readonly parent: string | undefined
}

/** What a server that took OTLP requests was told. */
export const received = (requests: ReadonlyArray<{ readonly body: unknown }>) => {
  const exports = requests.map(({ body }) => Schema.decodeUnknownSync(Traces)(body))
  const resources = exports.flatMap(({ resourceSpans }) => resourceSpans)
  const spans = resources.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
  const parentOf = (id: string | undefined) => {
    if (id === undefined) return undefined
    const parent = spans.find(({ spanId }) => spanId === id)
    assert.isDefined(parent, `the parent ${id} was exported`)
    return parent.name
  }
  const ids = spans.map(({ spanId }) => spanId)
  assert.deepStrictEqual(ids, [...new Set(ids)], "a span is exported once")
  return {
    text: requests.map(({ body }) => JSON.stringify(body)).join("\n"),
    resource: recordOf(resources[0]?.resource.attributes ?? []),
    spans: spans.map((span): Received => {
      const events = span.events.map(({ attributes, name }) => ({ name, attributes: recordOf(attributes) }))
      return { ...span, events, attributes: recordOf(span.attributes), parent: parentOf(span.parentSpanId) }
    })
  }
}

/** The tracer that these variables ask for, as the command line has it. */
export const tracer = (variables: Readonly<Record<string, string>>): Layer.Layer<never> =>
  traces.pipe(
    Layer.provide(NodeHttpClient.layer),
    Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(variables)))))
  )

/** A collector that takes whatever it is sent. */
export const collector = Loopback.serve(({ end, head }) => Effect.zipRight(head(200), end("{}")))
