/** The part of an OTLP span that says how it ended. */
interface Ended {
  readonly status: { readonly code: number; readonly message?: string }
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: { readonly stringValue?: string } }>
  readonly events: ReadonlyArray<{ readonly name: string }>
}

interface Traces {
  readonly resourceSpans: ReadonlyArray<{
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<Ended> }>
  }>
}

const unset = { code: 0 }
const error = 2

const labels = [
  { key: "span.label", value: { stringValue: "⚠︎ Interrupted" } },
  { key: "status.interrupted", value: { boolValue: true } }
]
const isLabel = ({ key }: { readonly key: string }) => labels.some((label) => label.key === key)

/**
 * The exporter says of failures that they were interrupted, and of interruptions that all is well. A message that only
 * repeats `error.type` is none.
 */
const mend = <Span extends Ended>(span: Span): Span => {
  const { attributes, events, status } = span
  if (status.code !== error) {
    const interrupted = status.message !== undefined
    return { ...span, status: unset, attributes: interrupted ? [...attributes, ...labels] : attributes }
  }
  const told = attributes.filter((attribute) => !isLabel(attribute))
  const type = attributes.find(({ key }) => key === "error.type")?.value.stringValue
  return type === undefined || status.message !== type
    ? { ...span, attributes: told }
    : {
        ...span,
        attributes: told,
        status: { code: error },
        events: events.filter(({ name }) => name !== "exception")
      }
}

/**
 * The body of an export by the conventions on errors: the status of a span is set only where it failed, and only an
 * interrupted one is marked as such.
 */
export const mended = (data: unknown): unknown => {
  const { resourceSpans } = data as Traces
  return {
    resourceSpans: resourceSpans.map((resource) => ({
      ...resource,
      scopeSpans: resource.scopeSpans.map((scope) => ({ ...scope, spans: scope.spans.map(mend) }))
    }))
  }
}
